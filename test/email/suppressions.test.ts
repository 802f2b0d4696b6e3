import { beforeAll, describe, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Client, eventually } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';
import { eventsAbout } from '#test/feed.ts';
import { advance, settle } from '#test/harness.ts';
import { place } from '#test/place.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let client: Client;
beforeAll(async () => {
  workspace = await newWorkspace();
  client = workspace.live;
});

const live = <Result>(work: (tx: UnitOfWork) => Promise<Result>) =>
  transact({ workspaceId: workspace.id, env: 'live' }, operator, work);

const newSequence = async (delaysMinutes: readonly number[]) => {
  const steps = delaysMinutes.map((delayMinutes) => ({ delayMinutes, subject: 'News', text: 'Hello' }));
  const input = { name: 'Mailing', channel: 'email', accountId: null, status: 'active', steps } as const;
  return (await live((tx) => createSequence(tx, input))).id;
};
const newContact = async (email: string) => (await client.post('/v1/contacts', { name: 'Uma', email })).body;
const enroll = (id: number, ...contactIds: number[]) => client.post(`/v1/sequences/${id}/enrollments`, { contactIds });
const enrollments = async (id: number) => (await client.get(`/v1/sequences/${id}/enrollments`)).body.items;
const listed = async (address: string) => (await client.get('/v1/email/suppressions', { address })).body.items;

/** The link of a sequence mail, as its header has it. */
async function linkIn(email: string): Promise<string> {
  const [sent = ''] = await sentWith(email);
  const [, url = ''] = /^List-Unsubscribe: <(.*)>\r?$/m.exec(sent) ?? [];
  expect(sent).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
  expect(sent.replaceAll(/=\r?\n/g, '')).toContain(`Unsubscribe: ${url.replaceAll('=', '=3D')}`);
  return new URL(url).pathname;
}

const open = (path: string, method = 'GET') => fetch(new URL(path, place('baseUrl')), { method });

describe('the recipient of a sequence mail', () => {
  test('unsubscribes by one post: the sequence stops, and later ones fail', async () => {
    const email = 'uma@unsubscribing.example';
    const contact = await newContact(email);
    const id = await newSequence([0, 60]);
    expect((await enroll(id, contact.id)).body).toMatchObject({ succeeded: 1, failed: 0 });
    await settle();
    const path = await linkIn(email);
    const page = await open(path);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form method="post">')]);
    expect(await listed(email)).toEqual([]);
    const done = await open(path, 'POST');
    expect([done.status, done.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await open(path, 'POST')).status).toBe(200);
    await settle();
    expect(await listed(email.toUpperCase())).toMatchObject([{ address: email, reasons: ['unsubscribe'] }]);
    expect(await enrollments(id)).toMatchObject([{ status: 'stopped' }]);
    const told = await eventually(async () => {
      const events = await eventsAbout(workspace.id, `contact/${contact.id}`, 1);
      return events.find(({ event }) => event === 'contact.unsubscribed');
    }, 'the event');
    expect(told?.data).toEqual({ contact_id: String(contact.id), address: email });
    const all = await eventsAbout(workspace.id, `contact/${contact.id}`, 1);
    expect(all.filter(({ event }) => event === 'contact.unsubscribed')).toHaveLength(1);
    const other = await newSequence([0]);
    await enroll(other, contact.id);
    await settle();
    expect(await enrollments(other)).toMatchObject([{ status: 'failed', lastError: 'unsubscribed' }]);
    const single = { to: [email], subject: 'Your order', bodyText: 'Sent' };
    expect((await client.post('/v1/email/messages', single)).status).toBe(202);
  });

  test.each(['1-live-1-abc', `9999999999-live-1-${'x'.repeat(22)}`, 'nothing', '1-none-1-a'])(
    'gets 404 for the link %s, which is none',
    async (token) => {
      expect((await open(`/hooks/unsubscribe/${token}`, 'POST')).status).toBe(404);
    },
  );
});

describe('the list of suppressions', () => {
  test('takes an address, and gives it back', async () => {
    const email = 'ina@suppressed.example';
    expect(await client.post('/v1/email/suppressions', { address: email })).toMatchObject({
      status: 201,
      body: { address: email, reasons: ['manual'] },
    });
    const contact = await newContact(email);
    const id = await newSequence([0]);
    await enroll(id, contact.id);
    await settle();
    expect(await enrollments(id)).toMatchObject([{ status: 'failed', lastError: 'unsubscribed' }]);
    expect((await client.delete(`/v1/email/suppressions?address=${email}`)).body).toMatchObject({ deleted: true });
    expect((await client.delete(`/v1/email/suppressions?address=${email}`)).status).toBe(404);
    const next = await newSequence([0]);
    await enroll(next, contact.id);
    await settle();
    expect(await enrollments(next)).toMatchObject([{ status: 'completed' }]);
  });

  test('names complaints and bounces, and forgets who is erased but for the digest', async () => {
    for (const mailbox of ['bounce', 'complaint']) {
      const address = `${mailbox}@simulator.amazonses.com`;
      await client.post('/v1/email/messages', { to: [address], subject: 'Hi', bodyText: 'Hello' });
      await settle();
      expect(await listed(address)).toMatchObject([{ address, reasons: [mailbox] }]);
    }
    const email = 'eva@erased.example';
    const contact = await newContact(email);
    const { body } = await client.post('/v1/email/suppressions', { address: email });
    expect(
      (await client.post(`/v1/contacts/${contact.id}/erasure`, { confirm: String(contact.id) })).status,
    ).toBeLessThan(300);
    await settle();
    await advance(60_000);
    expect(await listed(email)).toMatchObject([{ id: body.id, address: null }]);
  });
});

test('contacts are enrolled each for itself, and taken out', async () => {
  const contact = await newContact('olga@enrolled.example');
  const id = await newSequence([60]);
  const { status, body } = await enroll(id, contact.id, contact.id, 999_999);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      succeeded: 1,
      failed: 2,
      results: [
        { status: 201, enrollment: { contactId: contact.id, status: 'active' } },
        { status: 409, error: { details: { reason: 'already_enrolled' } } },
        { status: 400 },
      ],
    },
  });
  const path = `/v1/sequences/${id}/enrollments/${body.results[0].enrollment.id}`;
  for (const _ of [1, 2]) expect((await client.delete(path)).body).toMatchObject({ status: 'stopped' });
  expect((await client.delete(`/v1/sequences/${id}/enrollments/999`)).status).toBe(404);
  expect((await enroll(id)).status).toBe(400);
  expect((await enroll(999_999, contact.id)).status).toBe(404);
});
