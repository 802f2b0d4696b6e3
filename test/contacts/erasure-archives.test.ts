import { expect, test, vi } from 'vitest';
import type { ArchivedRow } from '#infra/admin/archive/archive.ts';
import { timestamp } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { entities } from '#lib/entities/all.ts';
import { Contacts, MergedContacts, type Traces } from '#lib/entities/contact.ts';
import { Feed } from '#lib/entities/feed-event.ts';
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
import { clientOf, event, rowOf, taken } from '#test/archive/handmade.ts';
import { type Client, eventually } from '#test/client.ts';
import { everyByteOf } from '#test/rows.ts';

const nobody: Traces = { email: null, username: null, userIds: [], names: [], accountIds: [] };
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

function told(sequence: number, stated: { event?: string; data: object; erased?: true }): ArchivedRow {
  const body = { ...event, timestamp: timestamp(), sequence, ...stated };
  return rowOf(Feed, { sequence, event: body.event, timestamp: body.timestamp, body: JSON.stringify(body) });
}

const tenantOf = (workspaceId: number): Tenant => ({ workspaceId, env: 'live' });

async function erased(client: Client, contactId: number) {
  const { status, body } = await client.post(`/v1/contacts/${contactId}/erasure`, { confirm: String(contactId) });
  expect([status, body]).toEqual([202, expect.objectContaining({ id: expect.any(Number) })]);
  await eventually(
    async () => (await client.get(`/v1/erasures/${body.id}`)).body.status === 'completed',
    `the erasure of contact ${contactId} to end`,
    120_000,
  );
}

test('an event that names nobody as the source of a merge holds no erasure up', async () => {
  const sources = [undefined, 'abc', '1e400', '1e-200', '1.5', {}, '9'.repeat(400)];
  const merges = sources.map((source, index) =>
    told(index + 1, {
      event: 'contact.merged',
      data: { contact_id: '1', source_contact_id: source, was: 'archivedsecret' },
    }),
  );
  const messages = ['abc', '1e400', {}, '-1', '9'.repeat(400)].map((id, index) =>
    told(100 + index, { event: 'message.created', data: { contact_id: null, message_id: id } }),
  );
  const id = await taken([...workspaceRow(), contact(1), ...merges, ...messages]);
  await erased(await clientOf(id), 1);
  expect(await everyByteOf(id)).not.toContain('archivedsecret');
});

test('whatever text is stored as what somebody was known by, they are erased', async () => {
  const id = await taken([...workspaceRow(), contact(1)]);
  const names = ['\u{1f600}'.repeat(100), '', '/', '/@', '@', 'telegram/', 'telegram/@', '#/#', '\ufdfa'.repeat(200)];
  await transact(tenantOf(id), operator, async (tx) => {
    const traces = { email: '@', username: '\u{1f600}', userIds: ['', 'a'], names, accountIds: [1] };
    tx.create(MergedContacts, { id: 2, into: 1, traces });
    tx.create(MergedContacts, { id: 3, into: 2, traces: { ...nobody, email: '', username: '' } });
  });
  await erased(await clientOf(id), 1);
});

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

test('of many accounts and ids a few hundred rows are read in one part', async () => {
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

test('jobs of a status are found among many of others, however little one call may read', async () => {
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

/** The same numbers for the same seed (mulberry32). */
function numbersOf(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (max: number) => Math.floor(next() * max);
  const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  return { below, oneOf };
}

const odd = ['abc', '', '1e400', '1e-200', '-1', '0', '01', {}, [], true, 1.5, 7e300, '\u{1f600}', '__proto__'];

interface Person {
  id: number;
  mark: string;
  /** Its own, and of those it was made of. */
  ids: number[];
}

/** An archive of some contacts, each made of others; whatever is of one of them has its mark in it. */
function archiveOf(seed: number) {
  const { below, oneOf } = numbersOf(seed);
  const people = Array.from(
    { length: 3 },
    (_, n): Person => ({ id: n + 1, mark: `mark${seed}x${n + 1}y`, ids: [n + 1] }),
  );
  const rows: ArchivedRow[] = [...workspaceRow(), ...[1, 2, 3].map(bot)];
  for (const { id, mark } of people)
    rows.push(
      contact(id, {
        name: mark,
        platform: 'telegram',
        email: `${mark}@example.com`,
        identities: { telegram: 770_000 + id },
      }),
    );
  const known = new Map(people.map(({ id }) => [id, [] as string[]]));
  for (let id = 10; id < 18; id += 1) {
    const person = oneOf(people);
    const { mark } = person;
    const name = `${mark}_${id}`;
    const accountIds = Array.from({ length: below(4) }, () => oneOf([1, 2, 3, 99_999]));
    const userIds = [name, `${name}\u{1f600}`, '__proto__', '@', name].slice(0, 1 + below(5));
    const names = [`telegram/@${name}`, `telegram/${name}`, 'nowhere/@', '__proto__/__proto__', `x-y/${mark}\u{1f600}`];
    rows.push(
      merged(id, oneOf(person.ids), {
        email: oneOf([null, `${name}@example.com`, `"${mark} @\u{fdfa}`]),
        username: oneOf([null, name, name.toUpperCase()]),
        ...{ userIds, accountIds, names },
      }),
    );
    for (const accountId of new Set(accountIds)) rows.push(peer(accountId, name));
    person.ids.push(id);
    known.get(person.id)?.push(name);
  }
  let messageId = 0;
  const jobOf = (fields: Record<string, unknown>) => {
    messageId += 1;
    rows.push(...sent(messageId, { ...fields, accountId: 1 }));
    return messageId;
  };
  let sequence = 0;
  const tell = (stated: Parameters<typeof told>[1]) => {
    sequence += 1;
    rows.push(told(sequence, stated));
  };
  for (let n = 0; n < 36; n += 1) {
    const { id: root, mark, ids } = oneOf(people);
    const id = oneOf(ids);
    const kind = oneOf(['contact.updated', 'contact.merged', 'message.created', 'contact.erased', 'job.completed']);
    const contactId = oneOf([String(id), id]);
    const data = {
      contact_id: contactId,
      source_contact_id: oneOf(odd),
      message_id: oneOf(odd),
      thread_id: oneOf(odd),
    };
    tell({ event: kind, data: { ...data, text: mark }, ...(below(5) === 0 && { erased: true as const }) });
    tell({ event: kind, data: { contact_id: oneOf(odd), message_id: oneOf(odd), thread_id: oneOf([null, ...odd]) } });
    if (below(2) === 0) jobOf({ contactId: id, text: mark });
    const name = below(2) === 0 ? oneOf(known.get(root) ?? []) : undefined;
    if (name === undefined) continue;
    const loose = jobOf({ contactId: null, text: mark, recipient: `@${name}`, target: { username: name } });
    const of = { contact_id: null, thread_id: oneOf([null, undefined]), message_id: String(loose) };
    tell({ event: 'message.created', data: { ...of, body: mark } });
  }
  return { rows, people };
}

test.concurrent.each([1, 2])(
  'whatever an archive has of somebody, their erasure ends and leaves nothing: seed %i',
  async (seed) => {
    const { rows, people } = archiveOf(seed);
    const id = await taken(rows);
    const client = await clientOf(id);
    // Each look reads the whole table.
    const linesOfEach = async () => {
      const lines = (await everyByteOf(id)).toLowerCase().split('\n');
      return people.map(({ mark }) => lines.filter((line) => line.includes(mark)));
    };
    const [first, second, last] = people as [Person, Person, Person];
    const before = (await linesOfEach())[2]?.length;
    expect(before).toBeGreaterThan(10);
    await Promise.all([erased(client, first.id), erased(client, second.id)]);
    const [ofFirst, ofSecond, ofLast] = await linesOfEach();
    expect([ofFirst, ofSecond, ofLast?.length]).toEqual([[], [], before]);
    await erased(client, last.id);
    expect(await linesOfEach()).toEqual([[], [], []]);
  },
);

test('an id at a platform that is empty holds no erasure up', async () => {
  const reach = [{ accountId: 1, userId: '', lastInboundAt: null, lastOutboundAt: null }];
  const rows = [...workspaceRow(), bot(1), contact(1, { reach }), merged(2, 1, { userIds: [''], accountIds: [1] })];
  await erased(await clientOf(await taken(rows)), 1);
});

test('an erasure comes to its end that meets contacts who were merged in a circle', async () => {
  const id = await taken(workspaceRow());
  const client = await clientOf(id);
  const { body } = await client.post('/v1/contacts', { name: 'Circle' }, 201);
  await transact(tenantOf(id), operator, async (tx) => {
    for (const [one, into] of [
      [body.id, body.id + 1],
      [body.id + 1, body.id],
    ])
      tx.create(MergedContacts, { id: one, into });
  });
  await erased(client, body.id);
  expect(await transact(tenantOf(id), operator, (tx) => tx.find(Contacts, { id: body.id }))).toBeUndefined();
});
