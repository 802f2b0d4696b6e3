import { randomUUID } from 'node:crypto';
import type { Budget } from '#test/bench/costs.ts';
import type { Client } from '#test/client.ts';

/** A call that changes something, as it is measured (test/bench/units.ts) and watched (test/costs.full.test.ts). */
interface WriteCall {
  what: string;
  budget: Budget;
  work(index: number): Promise<unknown>;
}

/** What a call was answered. Throws what it was refused with. */
export const succeeded = ({ status, body }: Awaited<ReturnType<Client['get']>>) => {
  if (status >= 300) throw new Error(`the answer was ${status} ${JSON.stringify(body)}`);
  return body;
};

/** They are about a contact of their own, in the demo's workspace. */
export async function writesOf(client: Client) {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) =>
    succeeded(await client.call('POST', path, { body, headers }));
  const newContact = (headers?: Record<string, string>) =>
    post('/v1/contacts', { name: `Cost ${randomUUID()}` }, headers);
  const { id } = await newContact();
  /** A contact has at most twenty addresses. */
  const people = (await Promise.all([newContact(), newContact(), newContact()])).map((one) => one.id);
  const patch = async (body: object) => succeeded(await client.patch(`/v1/contacts/${id}`, body));
  const stages = ['contacted', 'new'];
  const accountId = (await client.get('/v1/telegram/accounts')).body.items[0].id;
  const runAt = new Date(Date.now() + 864e5).toISOString();
  const fields = (await client.get('/v1/fields', { object: 'contact' })).body.items;
  if (!fields.some(({ slug }: { slug: string }) => slug === 'cost'))
    await post('/v1/fields', { object: 'contact', slug: 'cost', title: 'Cost', type: 'text' });
  return {
    'create-contact': { what: 'create a contact, no webhook', budget: [20, 2, 7], work: () => newContact() },
    'create-contact-with-key': {
      what: 'the same with an Idempotency-Key',
      budget: [20, 2, 8],
      work: () => newContact({ 'idempotency-key': randomUUID() }),
    },
    'patch-name': {
      what: 'PATCH its name',
      budget: [14, 4, 8],
      work: (index) => patch({ name: `Renamed ${index}` }),
    },
    'patch-company': {
      what: 'PATCH its company',
      budget: [12],
      work: (index) => patch({ company: `Company ${index}` }),
    },
    'patch-field': {
      what: 'PATCH one custom field',
      budget: [18],
      work: (index) => patch({ fields: { cost: `Value ${index}` } }),
    },
    'add-address': {
      what: 'add an address',
      budget: [],
      work: (index) =>
        post(`/v1/contacts/${people[index % people.length]}/addresses`, {
          kind: 'email',
          value: `${randomUUID()}@costs.example`,
        }),
    },
    stage: {
      what: 'move it to a stage',
      budget: [16],
      work: (index) => post(`/v1/contacts/${id}/stage`, { stage: stages[index % 2] }),
    },
    tag: {
      what: 'add a tag',
      budget: [16],
      work: (index) => post(`/v1/contacts/${id}/tags`, { tagName: `tag ${index}` }),
    },
    'create-deal': {
      what: 'create a deal',
      budget: [18],
      work: () => post('/v1/deals', { title: 'Costs', contactId: id }),
    },
    'create-task': {
      what: 'create a task',
      budget: [18],
      work: () => post('/v1/tasks', { title: 'Costs', contactId: id }),
    },
    'message-later': {
      what: 'queue a message for tomorrow',
      budget: [18],
      work: () => post('/v1/telegram/messages', { accountId, telegramUserId: 1, text: 'Costs', runAt }),
    },
  } as const satisfies Record<string, WriteCall>;
}
