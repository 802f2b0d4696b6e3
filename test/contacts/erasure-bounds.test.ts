import { expect, test, vi } from 'vitest';
import type { ArchivedRow } from '#infra/admin/archive/archive.ts';
import { timestamp } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { entities } from '#lib/entities/all.ts';
import { Contacts, MergedContacts, type Traces } from '#lib/entities/contact.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { Peers } from '#lib/entities/peer.ts';
import { eraseJobsOf } from '#lib/privacy/erasure/jobs.ts';
import { erasePredecessor } from '#lib/privacy/erasure/merged.ts';
import { maxIds, type Part, type Place } from '#lib/privacy/erasure/part.ts';
import type { Erasing } from '#lib/privacy/erasure/start.ts';
import { eraseTraces } from '#lib/privacy/erasure/traces.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { rowOf, taken } from '#test/archive/handmade.ts';
import { everyByteOf } from '#test/rows.ts';
import { clientOf } from '#test/workspace.ts';

const nobody: Traces = { username: null, userIds: [], names: [], accountIds: [] };
const unknown = {
  email: null,
  username: null,
  phone: null,
  identities: {},
  tagIds: [],
  reach: [],
  assignedToUserId: null,
};
const workspaceRow = () => entities.filter(({ name }) => name === 'workspace').map((of) => rowOf(of));
const contact = (id: number, fields: object = {}) => rowOf(Contacts, { ...unknown, id, ...fields });
const merged = (id: number, into: number, traces: object = {}) =>
  rowOf(MergedContacts, { id, into, traces: { ...nobody, ...traces } });
const bot = (id: number) => rowOf(Accounts, { id, channel: 'telegram', kind: 'bot', state: 'disconnected' });

/** A job and its message. */
function sent(
  id: number,
  { contactId, text, ...fields }: Record<string, unknown>,
): [job: ArchivedRow, message: ArchivedRow] {
  const ofBoth = { id, contactId, channel: 'telegram', accountId: 1 };
  const job = {
    ...ofBoth,
    text,
    textPreview: text,
    messageId: id,
    status: 'sent',
    claimedUntil: null,
    completedAt: null,
  };
  const loose = { sequenceId: null, enrollmentId: null, apiKeyId: null, platformFiles: [], recipient: 'somebody' };
  const message = { ...ofBoth, jobId: id, body: text, direction: 'outbound', status: 'sent', attachments: [] };
  return [
    rowOf(Jobs, { ...job, ...loose, target: { username: 'nobody' }, ...fields }),
    rowOf(Messages, { ...message, threadId: null, atPlatform: null, readAt: null, editedAt: null }),
  ];
}

const tenantOf = (workspaceId: number): Tenant => ({ workspaceId, env: 'live' });

/** Does a stage to its end as a saga does, each part with a transaction of its own; what the places were between. */
async function partsOf(tenant: Tenant, work: (tx: UnitOfWork, state: { place: Place }) => Promise<Part>, max = 200) {
  const places: Place[] = [];
  for (let place: Place | undefined = {}; place; ) {
    const at: Place = place;
    const part: Part = await transact(tenant, operator, (tx) => work(tx, { place: at }));
    place = part.isLeft ? (part.place ?? {}) : undefined;
    if (place) places.push(place);
    if (places.length > max) throw new Error(`it does not end: ${JSON.stringify(places.at(-1))}`);
  }
  return places;
}

const peer = (accountId: number, name: string) => rowOf(Peers, { accountId, name, createdAt: timestamp() });

test('one part of an erasure reads a few hundred rows when there are many accounts and ids', async () => {
  const userIds = Array.from({ length: 100 }, (_, n) => `u${n}`);
  const senderIds = Array.from({ length: 20 }, (_, n) => n + 1);
  const peers = [...userIds.map((name) => peer(20, name)), peer(1, 'u7'), peer(1, 'else')];
  const id = await taken([...workspaceRow(), ...peers]);
  const state = { username: 'Anna', userIds, accountIds: [3], senderIds };
  const places = await partsOf(tenantOf(id), (tx, { place }) => eraseTraces(tx, { ...state, place }));
  // 202 rows of each account.
  expect(places.slice(0, 3).map(({ after }) => after)).toEqual([3, 6, 9]);
  const names = (await everyByteOf(id)).match(/^"(u\d+|else)"$/gm);
  expect(new Set(names)).toEqual(new Set(['"else"']));
});

test('where more accounts have sent than are remembered, all are looked through', async () => {
  const accounts = [1, 2, 7000].map(bot);
  const id = await taken([...workspaceRow(), ...accounts, peer(7000, 'anna'), peer(2, '@anna')]);
  const senderIds = Array.from({ length: maxIds }, (_, n) => n + 10_000);
  const state = { username: 'anna', userIds: ['anna'], accountIds: [], senderIds };
  await partsOf(tenantOf(id), (tx, { place }) => eraseTraces(tx, { ...state, place }));
  expect(await everyByteOf(id)).not.toMatch(/^"@?anna"$/m);
});

test('jobs of a status are found among many others when a call may read little', async () => {
  const [queued, message] = sent(1, { contactId: 1, text: 'still to leave', status: 'queued' });
  // One page of an index holds a thousand.
  const jobs = Array.from({ length: 1100 }, (_, n) => sent(n + 2, { contactId: 1, text: 'gone', messageId: 1 })[0]);
  const later = { runAt: '2030-01-01T00:00:00Z', queuedFor: '2030-01-01T00:00:00Z' };
  const id = await taken([...workspaceRow(), bot(1), contact(1), message, ...jobs, { ...queued, ...later }]);
  vi.stubEnv('READ_UNITS_PER_LIST', '1');
  const state = { contactId: 1, names: [], senderIds: [] };
  const work = (tx: UnitOfWork, { place }: { place: Place }) =>
    eraseJobsOf(tx, { ...state, place }, { contact: 1, status: 'queued' }, () => {});
  await partsOf(tenantOf(id), work).finally(() => vi.unstubAllEnvs());
  expect((await (await clientOf(id)).get('/v1/jobs/1')).status).toBe(404);
});

test('when as many predecessors are remembered as one round takes, their events come first', async () => {
  const id = await taken([...workspaceRow(), contact(1), merged(2, 1)]);
  const contactIds = Array.from({ length: maxIds }, (_, n) => n + 1);
  const part = await transact(tenantOf(id), operator, (tx) =>
    erasePredecessor(tx, { contactId: 1, madeOf: [1], contactIds } as unknown as Erasing),
  );
  expect(part).toEqual({ isLeft: false, isOverfull: true });
});
