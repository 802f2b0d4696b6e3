import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { commands as outbox } from '#infra/admin/commands/outbox.ts';
import { fromNow, minuteMs } from '#lib/clock.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { publish } from '#lib/publishing/publish.ts';
import { sweep } from '#lib/sweep/sweep.ts';
import { identity, rowKey, shardOf } from '#lib/table/keys.ts';
import { outboxItems, outboxPrefix } from '#lib/table/outbox.ts';
import { type Row, readRow, readRows, writeRows } from '#lib/table/rows.ts';
import { listSetAside, type SetAside, setAside } from '#lib/table/set-aside.ts';
import { operator, type Tenant, tenantKey } from '#lib/tenant.ts';
import { between } from '#test/between.ts';
import { type Client, eventually } from '#test/client.ts';
import { dyingAfter, throttling, unreachable } from '#test/crash.ts';
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

const poison: Record<string, (row: Row) => Row> = {
  'an event that is too large for the feed': (row) => withEvent(row, { id: 'e'.repeat(390_000) }),
  'an event whose row holds nothing more': (row) => {
    const room = 409_600 - Buffer.byteLength(JSON.stringify(row));
    return withEvent(row, { id: 'e'.repeat(room + 60) });
  },
  'data that are not JSON': (row) => withEvent(row, { data: '{"text":"a secret text' }),
  'data that are no object': (row) => withEvent(row, { data: 'null' }),
  'an audit entry of another form': (row) => ({ ...row, audit: { method: 7 } }),
  'events that are no list': (row) => ({ ...row, events: 'garbage' }),
  'a tenant that is none': (row) => ({ ...row, tenant: 'nobody' }),
};
/** Of which AWS says nothing: a newer version may read them, or a mended one. */
const own = [
  'data that are not JSON',
  'data that are no object',
  'an audit entry of another form',
  'events that are no list',
  'a tenant that is none',
];

const created = async (client: Client): Promise<{ event: string; sequence: number; data: { contact_id: string } }[]> =>
  (await client.get('/v1/events', { limit: 100 })).body.items;

test('poisoned changes hold up nobody: the others are published in order and without a hole, and the poison is set aside', async () => {
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
  expect((await listSetAside()).filter(({ id }) => places.includes(id))).toEqual([]);

  // The sweeper goes on trying: each a few times, and what a newer version may have written for an hour.
  const waiting = await readRows(all);
  const nearlyGivenUp = own.flatMap((name) => waiting.get(identity(rows[name] as Row)) ?? []);
  expect(nearlyGivenUp).toHaveLength(own.length);
  await put(nearlyGivenUp.map((row) => ({ ...row, tries: 55, triedAt: fromNow(-minuteMs) })));
  for (let minutes = 0; minutes < 5; minutes += 1) await advance(minuteMs);
  expect((await readRows(all)).size).toBe(0);
  const kept = new Map((await listSetAside()).map((row) => [row.id, row]));
  for (const [name, { pk, sk }] of Object.entries(rows)) {
    const head = kept.get(`${pk}/${sk}`) as SetAside;
    expect(head, name).toBeDefined();
    expect(head.tries, name).toBeGreaterThanOrEqual(own.includes(name) ? 60 : 5);
    expect(head.reason, name).not.toContain('secret');
    expect(head.reason.length, name).toBeGreaterThan(5);
  }
  const after = await workspace.live.post('/v1/contacts', { name: 'After' });
  await eventually(
    async () => (await created(workspace.live)).some(({ data }) => data.contact_id === String(after.body.id)),
    'the next event',
  );
  // Put back as it was, it fails again; then the test takes it away.
  for (const [name, row] of Object.entries(rows)) {
    expect(await outbox.retry.run({ id: `${row.pk}/${row.sk}` }), name).toEqual({ retried: 1 });
    const [found] = (await readRows([row])).values();
    const { tries: _, triedAt: __, ...same } = found as Row;
    expect(same, name).toEqual(row);
  }
  await remove(all);
});

test('a row that cannot be read is tried once in a minute, however often a neighbour has its batch repeated', async () => {
  const { id } = await newWorkspace();
  const row = { ...outboxRow({ workspaceId: id, env: 'live' }, 'newer'), events: 'garbage' };
  const stored = async () => [...(await readRows([row])).values()][0] as Row;
  await put([row]);
  for (let repeat = 0; repeat < 5; repeat += 1) await publish([row]);
  const once = await stored();
  expect(once['tries']).toBe(1);
  await put([{ ...once, triedAt: fromNow(-55_000) }]);
  for (let repeat = 0; repeat < 2; repeat += 1) await publish([row]);
  expect((await stored())['tries']).toBe(2);
  await remove([row]);
});

test('a try counts before it is made, so that one counts which ends the process; one that fails for a passing reason does not', async () => {
  const { id, live } = await newWorkspace();
  const written = outboxRow({ workspaceId: id, env: 'live' }, 'unlucky');
  // Nobody else tries it: the publisher is fed with what is new, and the sweeper looks at what is old.
  const row = { ...written, sk: written.sk.replace(/^[^#]+/, '2099-01-01T00:00:00.000Z') };
  const triesOf = async () => [...(await readRows([row])).values()][0]?.['tries'];
  await put([{ ...row, events: 'not yet' }]);
  await eventually(async () => (await triesOf()) === 1, 'the publisher to meet it');
  const suspect = { ...row, tries: 3 };
  await put([suspect]);
  expect(await unreachable(/^PutItem/, /./, () => publish([suspect]))).toEqual([suspect]);
  expect(await triesOf()).toBe(3);
  await dyingAfter(0, () => publish([suspect]));
  expect(await triesOf()).toBe(4);
  expect(await publish([suspect])).toEqual([]);
  expect((await created(live)).map(({ data }) => data.contact_id)).toContain('unlucky');
});

test('a tenant whose events meet nothing but conflicts holds up no other: its rows are tried five times and set aside', async () => {
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
  const later = (row: Row) => ({ ...row, sk: row.sk.replace(/^[^#]+/, '2099-01-01T00:00:00.000Z') });
  const rows = ['first', 'second'].map((name) => later(outboxRow(tenant, name)));
  const stored = async () => [...(await readRows(rows)).values()];
  await put(rows.map((row) => ({ ...row, events: 'not yet' })));
  const met = async () => (await stored()).every(({ tries }) => tries === 1);
  await eventually(met, 'the publisher to meet them, which later does no more with them');
  const neighbour = later(outboxRow({ workspaceId: other.id, env: 'live' }, 'sound'));
  await put([...rows, neighbour]);
  expect(await publishing([...rows, neighbour])).toEqual([]);
  expect((await created(other.live)).map(({ data }) => data.contact_id)).toContain('sound');
  expect((await stored()).map(({ tries }) => tries)).toEqual([1, 1]);

  // What is known to contend is not tried again in the same sweep.
  const tried = rows.map((row) => ({ ...row, tries: 3, triedAt: fromNow(-60_000) }));
  await put(tried);
  const contending = new Map<string, unknown>();
  expect(await publishing(tried.slice(0, 1), contending)).toEqual([]);
  expect([...contending.keys()]).toEqual([tenantKey(tenant)]);
  expect(await publishing(tried.slice(1), contending)).toEqual([]);
  expect((await stored()).map(({ tries }) => tries)).toEqual([4, 4]);

  await put(tried.map((row) => ({ ...row, tries: 4 })));
  expect(await publishing(await stored())).toEqual([]);
  expect(await stored()).toEqual([]);
  const kept = (await listSetAside()).filter((row) => row.tenant === tenantKey(tenant));
  expect(kept.map(({ tries }) => tries)).toEqual([5, 5]);
});

test('a table that is too busy for its events is no reason of a tenant: its rows are left', async () => {
  const { id } = await newWorkspace();
  const written = outboxRow({ workspaceId: id, env: 'live' }, 'waiting');
  // The publisher, which is fed with what is new, and the sweeper, which looks at what is old, leave it alone.
  const row = { ...written, sk: written.sk.replace(/^[^#]+/, '2099-01-01T00:00:00.000Z') };
  await put([{ ...row, events: 'not yet' }]);
  await eventually(async () => (await readRows([row])).get(identity(row))?.['tries'] === 1, 'the publisher to meet it');
  await put([row]);
  const contending = new Map<string, unknown>();
  expect(await throttling(/contact\.created/, () => publish([row], contending))).toEqual([row]);
  expect(contending.size).toBe(0);
  expect(await publish([row])).toEqual([]);
});

test('a row that was set aside is listed, and published once an operator puts it back', async () => {
  const { id, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  const row = outboxRow(tenant, 'late');
  // As if it had just been passed over: nobody waits for it, and the publisher leaves it for a minute.
  await put([{ ...row, events: 'not yet', tries: 59, triedAt: fromNow(0) }]);
  await setAside(row, 60, new Error('a reason'));
  expect((await readRows([row])).size).toBe(0);
  const listed = await outbox.list.run();
  const [found] = listed.filter(({ tenant: of }) => of === tenantKey(tenant));
  expect(found).toEqual({
    id: `${outboxPrefix}#${shardOf('outbox', tenantKey(tenant))}/${row.sk}`,
    tenant: tenantKey(tenant),
    reason: 'Error: a reason',
    tries: 60,
    setAsideAt: expect.stringMatching(/Z$/),
  });
  expect((await sweep()).setAsideRows).toBeGreaterThan(0);
  // What was wrong with it is mended.
  await put([{ pk: `SET-ASIDE#${found?.id}`, sk: '000', piece: Buffer.from(JSON.stringify(row)) }]);
  expect(await outbox.retry.run({ id: found?.id })).toEqual({ retried: 1 });
  expect((await listSetAside()).filter(({ tenant: of }) => of === tenantKey(tenant))).toEqual([]);
  await expect(outbox.retry.run({ id: found?.id })).rejects.toMatchObject({ status: 404 });
  const events = await eventually(async () => {
    const all = await created(live);
    return all.length === 2 && all;
  }, 'its event');
  expect(events[1]).toMatchObject({ event: 'contact.created', sequence: 2, data: { contact_id: 'late' } });
});
