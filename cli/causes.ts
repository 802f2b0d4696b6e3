import { randomBytes } from 'node:crypto';
import type { CrmClient, EventKind } from '../client/index.ts';
import { eventKinds } from './kinds.ts';
import { Failure } from './verb.ts';

/** Tools of a cause. */
interface Causing {
  crm: CrmClient;
  /** The body of the call that causes the event, with what the caller sets in it. */
  body<Body extends object>(usual: Body): Body;
}

/** How an event is caused, or why no call can. */
export type Cause = ((causing: Causing) => Promise<unknown>) | { not: string };

const unique = () => randomBytes(4).toString('hex');
const person = () => {
  const name = unique();
  return { name: `Ada ${name}`, username: `ada_${name}`, email: `ada.${name}@example.com` };
};

const newContact = (crm: CrmClient) => crm.post('/v1/contacts', { body: person() });
const newCompany = (crm: CrmClient) => crm.post('/v1/companies', { body: { name: 'Analytical Engines' } });
const newBoard = { name: 'Partners', columns: [{ name: 'First call', stage: 'lead' as const }] };
const newDeal = (crm: CrmClient) => crm.post('/v1/deals', { body: { title: 'Annual plan', value: 1200 } });
const newTask = (crm: CrmClient) => crm.post('/v1/tasks', { body: { title: 'Send the contract' } });

type Maker = (crm: CrmClient) => Promise<{ id: number }>;
type Records = 'contacts' | 'companies' | 'deals' | 'tasks';
const archived =
  (records: Records, make: Maker) =>
  async ({ crm }: Causing) => {
    const params = { path: { id: (await make(crm)).id } };
    await crm.post(`/v1/${records}/{id}/archive`, { params, body: {} });
    return params;
  };
const restored = (records: Records, make: Maker) => async (causing: Causing) => {
  const params = await archived(records, make)(causing);
  return causing.crm.post(`/v1/${records}/{id}/restore`, { params, body: {} });
};
const field = () => {
  const slug = `budget_${unique()}`;
  return { object: 'deal' as const, slug, title: 'Budget', type: 'number' as const };
};
const newBot = (crm: CrmClient) =>
  crm.post('/v1/telegram/accounts', { body: { kind: 'bot', botToken: `test_${unique()}`, inbound: 'off' } });
const newKey = (crm: CrmClient) => crm.post('/v1/keys', { body: { name: 'From crm trigger', scopes: ['deals:read'] } });
const newMail = (crm: CrmClient) =>
  crm.post('/v1/email/messages', {
    body: { to: [person().email], subject: 'The pilot', bodyText: 'Can we start on Monday?' },
  });

/** The first of a list, which no call can make. */
async function found<Item>(items: AsyncGenerator<Item, void>, missing: string): Promise<Item> {
  for await (const item of items) return item;
  throw new Failure(missing);
}

/** A bot that is connected, the sandbox's own or a new one. */
async function activeBot(crm: CrmClient): Promise<number> {
  for await (const { id, kind, status } of crm.list('/v1/telegram/accounts')) {
    if (kind === 'bot' && status === 'active') return id;
  }
  return (await newBot(crm)).id;
}

/** In the sandbox it is sent within two seconds. */
const sendMessage =
  (username: () => string) =>
  async ({ crm, body }: Causing) =>
    crm.post('/v1/telegram/messages', {
      body: body({ accountId: await activeBot(crm), username: username(), text: 'Hello Ada' }),
    });

const known: Partial<Record<EventKind, Cause>> = {
  'message.created': sendMessage(() => person().username),
  'message.updated': { not: 'a message is edited by its sender; nobody writes to the sandbox' },
  'message.button_pressed': { not: 'a button is pressed by the recipient; no message leaves the sandbox' },
  'contact.unsubscribed': { not: 'somebody unsubscribes by the link in a mail; none leaves the sandbox' },
  'message.read': async ({ crm, body }) => {
    const contacts = crm.list('/v1/contacts', { params: { query: { hasUnread: true, limit: 1 } } });
    const { id } = await found(contacts, 'no contact of this sandbox has unread messages, and no call makes any');
    return crm.post('/v1/contacts/{id}/messages/read', { params: { path: { id } }, body: body({}) });
  },
  'contact.created': ({ crm, body }) => crm.post('/v1/contacts', { body: body(person()) }),
  'contact.updated': async ({ crm, body }) => {
    const { id } = await newContact(crm);
    return crm.patch('/v1/contacts/{id}', { params: { path: { id } }, body: body({ company: 'Analytical Engines' }) });
  },
  'contact.note_added': async ({ crm, body }) => {
    const { id } = await newContact(crm);
    const note = body({ text: 'Prefers to be called in the morning.' });
    return crm.post('/v1/contacts/{id}/activities', { params: { path: { id } }, body: note });
  },
  'contact.merged': async ({ crm, body }) => {
    const [{ id }, source] = [await newContact(crm), await newContact(crm)];
    const merged = body({ sourceContactId: source.id });
    return crm.post('/v1/contacts/{id}/merge', { params: { path: { id } }, body: merged });
  },
  'contact.erased': async ({ crm, body }) => {
    const { id } = await newContact(crm);
    return crm.post('/v1/contacts/{id}/erasure', { params: { path: { id } }, body: body({ confirm: String(id) }) });
  },
  'company.created': ({ crm, body }) => crm.post('/v1/companies', { body: body({ name: 'Analytical Engines' }) }),
  'company.updated': async ({ crm, body }) => {
    const { id } = await newCompany(crm);
    return crm.patch('/v1/companies/{id}', {
      params: { path: { id } },
      body: body({ website: 'https://example.com' }),
    });
  },
  'company.merged': async ({ crm, body }) => {
    const [{ id }, source] = [await newCompany(crm), await newCompany(crm)];
    return crm.post('/v1/companies/{id}/merge', {
      params: { path: { id } },
      body: body({ sourceCompanyId: source.id }),
    });
  },
  'company.note_added': async ({ crm, body }) => {
    const { id } = await newCompany(crm);
    const note = body({ text: 'Moves to Manchester next year.' });
    return crm.post('/v1/companies/{id}/activities', { params: { path: { id } }, body: note });
  },
  'deal.created': ({ crm, body }) => crm.post('/v1/deals', { body: body({ title: 'Annual plan', value: 1200 }) }),
  'deal.updated': async ({ crm, body }) => {
    const { id } = await newDeal(crm);
    return crm.patch('/v1/deals/{id}', { params: { path: { id } }, body: body({ value: 1500 }) });
  },
  'deal.stage_changed': async ({ crm, body }) => {
    const { id } = await newDeal(crm);
    return crm.post('/v1/deals/{id}/stage', {
      params: { path: { id } },
      body: body({ stage: 'negotiation' as const }),
    });
  },
  'deal.column_changed': async ({ crm, body }) => {
    const { id } = await newDeal(crm);
    const boards = await crm.get('/v1/pipelines', { params: { query: { kind: 'deal' as const } } });
    const board = boards.items.find(({ isDefault }) => isDefault);
    const { items } = await crm.get('/v1/pipelines/{id}/columns', { params: { path: { id: board?.id ?? 0 } } });
    const columnId = items.find(({ stage }) => stage === 'proposal')?.id ?? 0;
    return crm.post('/v1/deals/{id}/column', { params: { path: { id } }, body: body({ columnId }) });
  },
  'pipeline.created': ({ crm, body }) => crm.post('/v1/pipelines', { body: body(newBoard) }),
  'pipeline.updated': async ({ crm, body }) => {
    const { id } = await crm.post('/v1/pipelines', { body: newBoard });
    return crm.post('/v1/pipelines/{id}/archive', { params: { path: { id } }, body: body({}) });
  },
  'task.created': ({ crm, body }) => crm.post('/v1/tasks', { body: body({ title: 'Send the contract' }) }),
  'task.updated': async ({ crm, body }) => {
    const { id } = await newTask(crm);
    return crm.patch('/v1/tasks/{id}', { params: { path: { id } }, body: body({ priority: 'high' as const }) });
  },
  'task.status_changed': async ({ crm, body }) => {
    const { id } = await newTask(crm);
    return crm.post('/v1/tasks/{id}/status', { params: { path: { id } }, body: body({ status: 'done' as const }) });
  },
  'task.reminder_due': { not: 'a task reminds when its remindAt has come' },
  'contact.archived': archived('contacts', newContact),
  'contact.restored': restored('contacts', newContact),
  'company.archived': archived('companies', newCompany),
  'company.restored': restored('companies', newCompany),
  'deal.archived': archived('deals', newDeal),
  'deal.restored': restored('deals', newDeal),
  'task.archived': archived('tasks', newTask),
  'task.restored': restored('tasks', newTask),
  'field.created': ({ crm, body }) => crm.post('/v1/fields', { body: body(field()) }),
  'field.updated': async ({ crm, body }) => {
    const { id } = await crm.post('/v1/fields', { body: field() });
    return crm.patch('/v1/fields/{id}', { params: { path: { id } }, body: body({ title: 'Budget of the year' }) });
  },
  'account.flood_wait': sendMessage(() => 'test_flood'),
  'account.status_changed': async ({ crm }) => {
    const { id } = await newBot(crm);
    return crm.post('/v1/telegram/accounts/{id}/disconnect', { params: { path: { id } } });
  },
  'job.completed': sendMessage(() => person().username),
  'email.thread_updated': async ({ crm, body }) => {
    const { threadId } = await newMail(crm);
    const status = body({ status: 'closed' as const });
    return crm.post('/v1/email/threads/{id}/status', { params: { path: { id: threadId } }, body: status });
  },
  'conversation.updated': async ({ crm, body }) => {
    const missing = 'no message of this sandbox was received or sent: run crm trigger message.created';
    for await (const { id, state } of crm.list('/v1/conversations')) {
      const other = state === 'done' ? ('open' as const) : ('done' as const);
      return crm.post('/v1/conversations/{id}/state', { params: { path: { id } }, body: body({ state: other }) });
    }
    throw new Failure(missing);
  },
  'email.bounced': { not: 'it comes from the mail server of a recipient; no mail leaves the sandbox' },
  'email.complained': { not: 'it comes from a recipient; no mail leaves the sandbox' },
  'sequence.status_changed': async ({ crm }) => {
    const missing = 'this sandbox has no active or paused sequence, and no call makes one';
    for (const status of ['active', 'paused'] as const) {
      for await (const { id } of crm.list('/v1/sequences', { params: { query: { status } } }))
        return crm.post(`/v1/sequences/{id}/${status === 'active' ? 'pause' : 'resume'}`, { params: { path: { id } } });
    }
    throw new Failure(missing);
  },
  'enrollment.status_changed': { not: 'contacts are enrolled in the panel, and leave when they answer or at the end' },
  'transaction.created': ({ crm, body }) =>
    crm.post('/v1/finance/transactions', { body: body({ type: 'income' as const, amount: 120, currency: 'EUR' }) }),
  'invoice.paid': async ({ crm, body }) => {
    const missing = 'this sandbox has no invoice that waits to be paid, and no call makes one';
    const invoices = crm.list('/v1/finance/invoices', { params: { query: { status: 'sent', limit: 1 } } });
    const { id } = await found(invoices, missing);
    return crm.post('/v1/finance/invoices/{id}/paid', { params: { path: { id } }, body: body({}) });
  },
  'invoice.overdue': { not: 'an invoice is overdue when its due date has passed' },
  'revenue_source.sync_failed': { not: 'it comes of a feed that is pulled by a schedule' },
  'export.completed': ({ crm, body }) =>
    crm.post('/v1/exports', { body: body({ object: 'contacts' as const, format: 'csv' as const }) }),
  'key.created': ({ crm, body }) =>
    crm.post('/v1/keys', { body: body({ name: 'From crm trigger', scopes: ['deals:read' as const] }) }),
  'key.revoked': async ({ crm }) => {
    const { id } = await newKey(crm);
    return crm.delete('/v1/keys/{id}', { params: { path: { id } } });
  },
  'webhook.test': async ({ crm, body }) => {
    const missing = 'no endpoint is registered: crm api POST /v1/webhooks -f url=…';
    const { id } = await found(crm.list('/v1/webhooks', { params: { query: { limit: 1 } } }), missing);
    return crm.post('/v1/webhooks/{id}/test', { params: { path: { id } }, body: body({}) });
  },
};

const unknown: Cause = { not: 'cli/causes.ts names none yet' };

/** Causes of every kind of event. */
export const causes = Object.fromEntries(eventKinds.map((kind) => [kind, known[kind] ?? unknown])) as Record<
  EventKind,
  Cause
>;
