import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/dead-letter.ts';
import { minuteMs } from '#lib/core/clock.ts';
import { operator, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { publish } from '#lib/publishing/publish.ts';
import { sweep } from '#lib/publishing/sweep.ts';
import { bury, type DeadLetter, listDead, maxTries } from '#lib/table/dead-letter.ts';
import { rowKey, shardOf } from '#lib/table/keys.ts';
import { outboxItems, outboxPrefix } from '#lib/table/outbox.ts';
import { type Row, readRow, readRows, writeRows } from '#lib/table/rows.ts';
import { between } from '#test/between.ts';
import { type Client, eventually } from '#test/client.ts';
import { throttling, unreachable } from '#test/crash.ts';
import { advance } from '#test/harness.ts';
import { newWorkspace } from '#test/workspace.ts';

const put = (rows: readonly Row[]) => writeRows(rows.map((Item) => ({ PutRequest: { Item } })));
const remove = (rows: readonly Row[]) => writeRows(rows.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));

/** A sound outbox row with one event, as a change writes it. */
function outboxRow(tenant: Tenant, contactId: string): Row {
  const now = '2026-11-22T10:00:00Z';
  const event = {
    kind: 'contact.created' as const,
    subject: `contact/${contactId}`,
    data: { ...eventKinds['contact.created'].example, contact_id: contactId },
    timestamp: now,
  };
  return outboxItems(tenant, randomUUID(), now, operator, [event], undefined)[0] as Row;
}

const withEvent = (row: Row, event: object): Row => ({
  ...row,
  events: [{ ...(row['events'] as object[])[0], ...event }],
});

/** A row that the sweeper does not look at. */
const rested = (row: Row): Row => ({ ...row, sk: row.sk.replace(/^[^#]+/, '2099-01-01T00:00:00.000Z') });

/** Has the publisher, which is fed with what is new, meet rows that it can do nothing with yet. */
async function met(...rows: Row[]): Promise<void> {
  await put(rows.map((row) => ({ ...row, events: 'not yet' })));
  const stored = async () => [...(await readRows(rows)).values()];
  await eventually(async () => (await stored()).every(({ tries }) => tries === 1), 'the publisher to meet them');
}

const poison: Record<string, (row: Row) => Row> = {
  'an event that is too large for the feed': (row) => withEvent(row, { id: 'e'.repeat(390_000) }),
  'data that are not JSON': (row) => withEvent(row, { data: '{"text":"a secret text' }),
  'data that are no object': (row) => withEvent(row, { data: 'null' }),
  'an audit entry of another form': (row) => ({ ...row, audit: { method: 7 } }),
  'events that are no list': (row) => ({ ...row, events: 'garbage' }),
  'a tenant that is none': (row) => ({ ...row, tenant: 'nobody' }),
};
const created = async (client: Client): Promise<{ event: string; sequence: number; data: { contact_id: string } }[]> =>
  (await client.get('/v1/events', { limit: 100 })).body.items;

test('poisoned changes become dead letters, and the others are published in order without a gap', async () => {
  const workspace = await newWorkspace();
  const tenant: Tenant = { workspaceId: workspace.id, env: 'live' };
  const rows = Object.fromEntries(Object.entries(poison).map(([name, make]) => [name, make(outboxRow(tenant, name))]));
  const all = Object.values(rows);
  // Others of its tenant, of its shard, before it and after it, in one batch of the stream and in others.
  await put([outboxRow(tenant, 'first'), ...all, withEvent(outboxRow(tenant, 'newer'), { kind: 'contact.exploded' })]);
  const contacts: string[] = [];
  for (let index = 0; index < 5; index += 1)
    contacts.push(String((await workspace.live.post('/v1/contacts', { name: `Contact ${index}` })).body.id));
  const events = await eventually(async () => {
    const found = await created(workspace.live);
    return found.some(({ data }) => data.contact_id === contacts.at(-1)) && found;
  }, 'the events of the others');
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ event }) => event !== 'key.created').map(({ data }) => data.contact_id)).toEqual(
    expect.arrayContaining(['first', 'newer', ...contacts]),
  );
  expect(events.find(({ data }) => data.contact_id === 'newer')?.event).toBe('contact.exploded');
  expect(events.map(({ data }) => data.contact_id).filter((id) => contacts.includes(id))).toEqual(contacts);
  // They did not have to wait until it was given up.
  const places = all.map(({ pk, sk }) => `${pk}/${sk}`);
  const dead = async () => (await listDead()).filter(({ id }) => places.includes(id));
  expect(await dead()).toEqual([]);

  for (let minutes = 0; minutes < maxTries; minutes += 1) await advance(minuteMs);
  const kept = new Map((await dead()).map((row) => [row.id, row]));
  for (const [name, { pk, sk }] of Object.entries(rows)) {
    const one = kept.get(`${pk}/${sk}`) as DeadLetter;
    expect(one, name).toBeDefined();
    expect(one.tries, name).toBe(maxTries);
    expect(one.reason, name).not.toContain('secret');
    expect(one.reason.length, name).toBeGreaterThan(5);
  }
  await advance(minuteMs);
  expect((await dead()).map(({ tries }) => tries)).toEqual(all.map(() => maxTries));
  const after = await workspace.live.post('/v1/contacts', { name: 'After' });
  await eventually(
    async () => (await created(workspace.live)).some(({ data }) => data.contact_id === String(after.body.id)),
    'the next event',
  );
  // Put back as it was, it fails again; then the test takes it away.
  for (const [name, row] of Object.entries(rows)) {
    expect(await commands.retry.run({ id: `${row.pk}/${row.sk}` }), name).toEqual({ retried: 1 });
    expect([...(await readRows([row])).values()], name).toEqual([row]);
  }
  await remove(all);
});

test('a row that cannot be published is counted where the failure is its own, and not where it passes', async () => {
  const { id, live } = await newWorkspace();
  const row = rested(outboxRow({ workspaceId: id, env: 'live' }, 'unlucky'));
  const triesOf = async () => [...(await readRows([row])).values()][0]?.['tries'];
  await met(row);
  await put([row]);
  expect(await unreachable(/^PutItem/, /./, () => publish([row]))).toEqual([row]);
  expect(await triesOf()).toBeUndefined();
  const broken = withEvent(row, { data: 'null' });
  await put([broken]);
  for (const tries of [1, 2]) {
    expect(await publish([broken])).toEqual([]);
    expect(await triesOf()).toBe(tries);
  }
  await put([row]);
  expect(await publish([row])).toEqual([]);
  expect((await created(live)).map(({ data }) => data.contact_id)).toContain('unlucky');
});

test('a tenant with constant write conflicts does not block others, and its rows wait', async () => {
  const [stuck, other] = await Promise.all([newWorkspace(), newWorkspace()]);
  const tenant: Tenant = { workspaceId: stuck.id, env: 'live' };
  for (const { live } of [stuck, other])
    await eventually(async () => (await created(live)).length === 1, 'the event of its key');
  // Whenever its events are to have their numbers, the row of these is refused though nobody has changed it.
  const sequence = rowKey('sequence', { tenant: tenantKey(tenant) });
  const publishing: typeof publish = (given, contending) =>
    between(
      async ({ operation, input }, next) => {
        const isNumbering = operation === 'UpdateItem' && (input['Key'] as Row).pk === sequence.pk;
        if (!isNumbering) return next();
        const Item = await readRow(sequence);
        throw Object.assign(new Error('refused'), { name: 'ConditionalCheckFailedException', Item });
      },
      () => publish(given, contending),
    );
  const rows = ['first', 'second'].map((name) => rested(outboxRow(tenant, name)));
  const stored = async () => [...(await readRows(rows)).values()];
  await met(...rows);
  const neighbour = rested(outboxRow({ workspaceId: other.id, env: 'live' }, 'sound'));
  await put([...rows, neighbour]);
  expect(await publishing([...rows, neighbour])).toEqual([]);
  expect((await created(other.live)).map(({ data }) => data.contact_id)).toContain('sound');
  expect(await stored()).toEqual(expect.arrayContaining(rows));

  // What is known to contend is not tried again in the same sweep.
  const contending = new Set<string>();
  expect(await publishing(rows.slice(0, 1), contending)).toEqual([]);
  expect([...contending]).toEqual([tenantKey(tenant)]);
  expect(await publish(rows, contending)).toEqual([]);
  expect(await stored()).toEqual(expect.arrayContaining(rows));
  // Once the conflicts end, they are published in their order.
  expect(await publish(rows)).toEqual([]);
  expect(await stored()).toEqual([]);
  expect((await created(stuck.live)).map(({ data }) => data.contact_id)).toEqual([undefined, 'first', 'second']);
});

test('a table that is too busy for its events is no reason of a tenant: its rows are left', async () => {
  const { id } = await newWorkspace();
  const row = rested(outboxRow({ workspaceId: id, env: 'live' }, 'waiting'));
  await met(row);
  await put([row]);
  const contending = new Set<string>();
  expect(await throttling(/contact\.created/, () => publish([row], contending))).toEqual([row]);
  expect(contending.size).toBe(0);
  expect(await publish([row])).toEqual([]);
});

test('a dead letter is listed and measured, and published once an operator puts it back', async () => {
  const { id, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  const row = outboxRow(tenant, 'late');
  await put([{ ...row, events: 'not yet' }]);
  await bury(row, new Error('a reason'));
  const own = async () => (await commands.list.run()).filter(({ tenant: of }) => of === tenantKey(tenant));
  const [found] = await own();
  expect(found).toMatchObject({
    id: `${outboxPrefix}#${shardOf('outbox', tenantKey(tenant))}/${row.sk}`,
    reason: 'Error: a reason',
    deadAt: expect.stringMatching(/Z$/),
  });
  await advance(minuteMs);
  expect((await sweep()).deadRows).toBeGreaterThan(0);
  // What was wrong with it is mended: nobody publishes it yet.
  const [dead] = (await readRows([row])).values();
  await put([{ ...row, dead: dead?.['dead'] }]);
  await advance(minuteMs);
  expect(await created(live)).toHaveLength(1);
  expect(await commands.retry.run({ id: found?.id })).toEqual({ retried: 1 });
  expect(await own()).toEqual([]);
  await expect(commands.retry.run({ id: found?.id })).rejects.toMatchObject({ status: 404 });
  await expect(commands.discard.run({ id: String(found?.id) })).rejects.toMatchObject({ status: 404 });
  await advance(minuteMs);
  expect((await created(live))[1]).toMatchObject({
    ...{ event: 'contact.created', sequence: 2, data: { contact_id: 'late' } },
  });
});

test('a dead letter that is discarded is gone for good', async () => {
  const { id } = await newWorkspace();
  const row = outboxRow({ workspaceId: id, env: 'live' }, 'unwanted');
  await put([{ ...row, events: 'garbage' }]);
  const place = `${row.pk}/${row.sk}`;
  await expect(commands.discard.run({ id: place })).rejects.toMatchObject({ status: 404 });
  await bury(row, new Error('a reason'));
  expect(await commands.discard.run({ id: place })).toEqual({ discarded: 1 });
  expect((await readRows([row])).size).toBe(0);
});
