import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nextDay, now, timestamp } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Deliveries, type StoredDelivery } from '#lib/entities/delivery.ts';
import type { FeedEvent } from '#lib/entities/feed-event.ts';
import { Endpoints, type StoredEndpoint } from '#lib/entities/webhook.ts';
import { Dispatches } from '#lib/entities/webhook-dispatch.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { ReplayQueues } from '#lib/entities/webhook-replays.ts';
import { fanOut } from '#lib/publishing/fan-out.ts';
import { sweep } from '#lib/publishing/sweep.ts';
import { dynamodb } from '#lib/table/client.ts';
import { indexPartition, keyOf } from '#lib/table/entity.ts';
import type { Key } from '#lib/table/keys.ts';
import { remaining, settle, take } from '#lib/table/quota.ts';
import { readRows, writeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { readBacklog } from '#lib/webhooks/backlog.ts';
import { replayFailed, skippedFor } from '#lib/webhooks/deliveries.ts';
import { clear, skip } from '#lib/webhooks/discard.ts';
import { dispatchNow, instant } from '#lib/webhooks/dispatch.ts';
import { newHealth } from '#lib/webhooks/health.ts';
import { decide } from '#lib/webhooks/idle.ts';
import { type AttemptWrites, commitAttempts, faults, LeaseLost } from '#lib/webhooks/settle.ts';
import { countFinished, countMade, maxWaiting, readWaiting } from '#lib/webhooks/waiting.ts';
import { eventually, everyItem } from '#test/client.ts';
import { atFirstWait, settle as settleAll } from '#test/harness.ts';
import { answers, type Receiver, startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

async function workspaceWith(receiver: Receiver, body: object = {}) {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const made = await live.post('/v1/webhooks', { url: `${receiver.url}/`, eventKinds: ['contact.created'], ...body });
  const { id } = made.body as { id: number };
  const path = `/v1/webhooks/${id}`;
  const deliveries = (query: Record<string, string | number> = {}) => everyItem(live, `${path}/deliveries`, query);
  const addContacts = async (...names: string[]) => {
    for (const name of names) await live.post('/v1/contacts', { name }, 201);
  };
  /** As when a worker has died: nothing is sent until its lease ends, in a few seconds. Returns its name. */
  const hold = () =>
    transact(tenant, system, async (tx) => {
      const owner = 'a worker that died';
      tx.update(Healths, { ...(await tx.get(Healths, { id })), owner, leaseUntilMs: now() + 6_000 });
      return owner;
    });
  /** Adds contacts while a dead worker holds the endpoint. Does something with their deliveries when the next worker waits for it. */
  const whileHeld = async (names: readonly string[], happens: (made: { id: number }[]) => Promise<unknown>) => {
    await hold();
    await addContacts(...names);
    const made = async () => {
      for (;;) {
        const found = await deliveries();
        if (found.length === names.length) return found;
        // The publisher is at it.
        await pause(5);
      }
    };
    await atFirstWait(async () => happens(await made()), settleAll);
  };
  return {
    ...{ tenant, live, id, path, deliveries, addContacts, hold, whileHeld },
    run: <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, system, work),
  };
}

const keysOf = (tenant: Tenant, endpointId: number, deliveries: readonly { id: number }[]) =>
  deliveries.map(({ id }) => keyOf(tenant, Deliveries, { endpointId, id } as StoredDelivery));

/** Gives one row a shape that this version does not know, and takes another one away; their entries in the index stay. */
async function spoil(tenant: Tenant, odd: Key | undefined, gone: Key | undefined): Promise<void> {
  const TableName = env('TABLE_NAME');
  const change = { UpdateExpression: 'SET attemptCount = :odd', ExpressionAttributeValues: { ':odd': 'none' } };
  await dynamodb.send('UpdateItem', { TableName, Key: odd, ...change });
  if (gone) await transact(tenant, system, async (tx) => tx.write({ key: gone, item: null }));
}

function eventsOf(count: number): FeedEvent[] {
  const at = new Date(now() + 1000).toISOString();
  const common = { event: 'contact.created', timestamp: at, committedAt: at, body: '{}' } as const;
  return Array.from({ length: count }, (_, index) => ({
    ...common,
    id: `evt_${index}`,
    sequence: 1000 + index,
    subject: `contact/${index}`,
  }));
}

const namesOf = (receiver: Receiver) => receiver.received.map(({ body }) => body.data.name);

test('attempts over the daily limit are skipped and can be replayed, and replays wait', async () => {
  await using receiver = await startReceiver();
  const { tenant, live, path, deliveries, addContacts } = await workspaceWith(receiver);
  const spent = await take(tenant, 'deliveries', (await remaining(tenant, 'deliveries')) - 2);
  await addContacts('1', '2', '3', '4');
  const found = await eventually(async () => {
    const all = await deliveries();
    return all.length === 4 && all.every(({ completedAt }) => completedAt !== null) && all;
  }, 'four deliveries');
  const skipped = { status: 'skipped', attemptCount: 0, error: skippedFor.quota };
  const succeeded = { status: 'succeeded', attemptCount: 1 };
  expect(found.toReversed()).toMatchObject([succeeded, succeeded, skipped, skipped]);
  expect([namesOf(receiver).toSorted(), await remaining(tenant, 'deliveries')]).toEqual([['1', '2'], 0]);
  const tried = await live.post(`${path}/test`, {});
  expect([tried.status, tried.body.details?.reason]).toEqual([429, 'daily_quota']);
  const again = await live.post(`${path}/deliveries/${found[0]?.id}/replay`);
  expect(again.status).toBe(202);
  await eventually(async () => (await deliveries({ status: 'skipped' })).length === 3, 'the replay is skipped too');
  const since = new Date(now() - 600_000).toISOString();
  expect((await live.post(`${path}/replay-failed`, { since })).body).toEqual({ queued: 2 });
  const midnight = instant(Date.parse(nextDay()));
  await eventually(
    async () => (await transact(tenant, system, (tx) => tx.get(Dispatches, { id: 1 }))).at === midnight,
    'its worker to put the replays off',
  );
  expect((await deliveries()).length).toBe(5);
  await settle(tenant, 'deliveries', spent, 0);
  await transact(tenant, system, (tx) => dispatchNow(tx, 1));
  await eventually(async () => receiver.received.length === 4, 'the replays');
  expect(namesOf(receiver).toSorted()).toEqual(['1', '2', '3', '4']);
});

test('an endpoint with more than 100,000 waiting deliveries gets no more of them, until it has caught up', async () => {
  await using receiver = await startReceiver();
  const { id, tenant, deliveries, addContacts, run } = await workspaceWith(receiver);
  const waiting = async () => (await readWaiting(new UnitOfWork(tenant, system), maxWaiting)).get(id);
  await run((tx) => countMade(tx, id, maxWaiting));
  await fanOut(tenant, eventsOf(2));
  const [skipped, made] = await deliveries();
  expect(skipped).toMatchObject({ status: 'skipped', attemptCount: 0, error: skippedFor.backlog });
  expect(made?.status).not.toBe('skipped');
  // Its worker sees that nothing waits, whatever was counted.
  await eventually(async () => (await waiting()) === 0, 'what was counted is put right');
  await addContacts('again');
  await eventually(async () => receiver.received.length === 1, 'the next delivery');
  expect(namesOf(receiver)).toEqual(['again']);
});

test('skipped deliveries over the daily limit are in the feed alone', async () => {
  await using receiver = await startReceiver();
  const { tenant, live, path, deliveries } = await workspaceWith(receiver);
  await live.patch(path, { isActive: false });
  await take(tenant, 'skippedDeliveries', (await remaining(tenant, 'skippedDeliveries')) - 2);
  await fanOut(tenant, eventsOf(1));
  // What an earlier call has stored is not counted again.
  await fanOut(tenant, eventsOf(1));
  await fanOut(tenant, eventsOf(3));
  expect((await deliveries()).map(({ eventId }) => eventId)).toEqual(['evt_1', 'evt_0']);
});

test('an endpoint with deliveries from before a crash is woken by the next call', async () => {
  await using receiver = await startReceiver();
  const { tenant, id, deliveries, hold, run } = await workspaceWith(receiver);
  await hold();
  await fanOut(tenant, eventsOf(1));
  await run(async (tx) => {
    tx.update(Dispatches, { ...(await tx.get(Dispatches, { id })), at: null, recheckAt: null });
    tx.update(Endpoints, { ...(await tx.get(Endpoints, { id })), isActive: false });
  });
  await fanOut(tenant, eventsOf(1));
  expect((await run((tx) => tx.get(Dispatches, { id }))).at).not.toBeNull();
  expect(await deliveries()).toMatchObject([{ status: 'pending' }]);
});

test('a worker with an expired lease or a late start does not skip a delivery', async () => {
  await using receiver = await startReceiver();
  const { tenant, id, deliveries, hold, run } = await workspaceWith(receiver);
  const owner = await hold();
  await fanOut(tenant, eventsOf(2));
  const backlog = await readBacklog(new UnitOfWork(tenant, system), newHealth(id));
  const [first, second] = backlog.first;
  expect((await deliveries({ status: 'pending' })).map((delivery) => delivery.id)).toEqual([second?.id, first?.id]);
  await run(async (tx) => {
    const row = await tx.get(Deliveries, { endpointId: id, id: first?.id as number });
    tx.update(Deliveries, { ...row, status: 'succeeded', nextAttemptAt: null, completedAt: tx.now });
    await countFinished(tx, id, 1);
  });
  await expect(skip(tenant, id, 'another worker', backlog)).rejects.toThrow(LeaseLost);
  await expect(clear(tenant, id, 'another worker', backlog)).rejects.toThrow(LeaseLost);
  await skip(tenant, id, owner, backlog);
  expect(await deliveries()).toMatchObject([
    { id: second?.id, status: 'skipped' },
    { id: first?.id, status: 'succeeded' },
  ]);
  expect((await readWaiting(new UnitOfWork(tenant, system), maxWaiting)).get(id)).toBe(0);
});

type Run = Awaited<ReturnType<typeof workspaceWith>>['run'];
const disable = (run: Run, id: number) =>
  run(async (tx) => tx.update(Endpoints, { ...(await tx.get(Endpoints, { id })), isActive: false }));
const queueReplay = (run: Run, id: number) => run(async (tx) => tx.create(ReplayQueues, { id, deliveryIds: [999] }));

test.each([
  { next: 'clear', isSpent: false, prepare: disable },
  { next: 'skip', isSpent: true, prepare: async () => {} },
  { next: 'replay', isSpent: false, prepare: queueReplay },
] as const)('at its deadline a worker leaves what it would do next ($next) to the next one, at once', async (given) => {
  await using receiver = await startReceiver();
  const { tenant, id, deliveries, hold, run } = await workspaceWith(receiver);
  const owner = await hold();
  await fanOut(tenant, eventsOf(2));
  await given.prepare(run, id);
  // Only what is sent waits for the breaker.
  await run(async (tx) =>
    tx.update(Healths, { ...(await tx.get(Healths, { id })), openUntilMs: now() + 6_000, openings: 1 }),
  );
  const dispatch = await run((tx) => tx.get(Dispatches, { id }));
  const decideBy = (deadlineMs: number) => async (tx: UnitOfWork) => {
    const turn = { tenant, endpointId: id, owner, lane: 'deliveries', deadlineMs, dispatch } as const;
    const { next } = await decide(tx, turn, given.isSpent);
    return { next, dispatch: await tx.get(Dispatches, { id }), health: await tx.get(Healths, { id }) };
  };
  expect((await run(decideBy(now() + 60_000))).next).toBe(given.next);
  const ended = await run(decideBy(now()));
  expect(ended).toMatchObject({ next: undefined, dispatch: { notBefore: null }, health: { owner: null } });
  expect(Date.parse(ended.dispatch.at as string)).toBeLessThanOrEqual(now());
  await eventually(
    async () => {
      const isReplayed = (await run((tx) => tx.find(ReplayQueues, { id }))) === undefined;
      return isReplayed && (await deliveries()).every(({ completedAt }) => completedAt !== null);
    },
    'the next worker to do it',
    30_000,
  );
});

test('no more than five thousand deliveries of an endpoint wait to be replayed', async () => {
  await using receiver = await startReceiver(answers(410));
  const { id, deliveries, addContacts, run } = await workspaceWith(receiver);
  await addContacts('1', '2', '3');
  await eventually(async () => (await deliveries()).filter(({ completedAt }) => completedAt).length === 3, 'failures');
  const undone = new Error('undone');
  const queued: number[] = [];
  const since = new Date(now() - 600_000).toISOString();
  await expect(
    run(async (tx) => {
      const deliveryIds = Array.from({ length: 4_998 }, (_, index) => 1_000 + index);
      tx.create(ReplayQueues, { id, deliveryIds });
      queued.push((await replayFailed(tx, id, { since })).queued, (await replayFailed(tx, id, { since })).queued);
      throw undone;
    }),
  ).rejects.toBe(undone);
  expect(queued).toEqual([2, 0]);
});

test('replays count in the minute of the key, also where no attempt is made', async () => {
  await using receiver = await startReceiver(answers(410));
  const { live, path, deliveries, addContacts } = await workspaceWith(receiver);
  const names = Array.from({ length: 6 }, (_, index) => `${index}`);
  await addContacts(...names);
  await eventually(async () => {
    const all = await deliveries();
    return all.length === names.length && all.every(({ completedAt }) => completedAt !== null);
  }, 'deliveries that are over');
  const since = new Date(now() - 600_000).toISOString();
  const before = await live.get('/v1/contacts');
  expect((await live.post(`${path}/replay-failed`, { since })).body).toEqual({ queued: names.length });
  const after = await live.get('/v1/contacts');
  const remainingIn = ({ headers }: typeof before) => Number(headers['x-ratelimit-remaining']);
  // Two calls, and two points for 420 units.
  expect(remainingIn(before) - remainingIn(after)).toBeGreaterThanOrEqual(3);
});

test('an attempt that had begun when its worker died is counted, and ten are the end of it', async () => {
  await using receiver = await startReceiver();
  const { id, live, path, run, whileHeld } = await workspaceWith(receiver);
  let ids: number[] = [];
  const dying = async (tx: UnitOfWork) => {
    const [, always, once] = ids;
    const row = await tx.get(Deliveries, { endpointId: id, id: always as number });
    const attempt = {
      startedAt: tx.now,
      durationMs: 1,
      responseStatus: 500,
      error: 'no',
      responseHeaders: '{}',
      errorClass: 'status' as const,
    };
    const attempts = Array.from({ length: 9 }, (_, index) => ({ ...attempt, number: index + 1 }));
    const nextAttemptAt = new Date(now()).toISOString();
    tx.update(Deliveries, { ...row, status: 'retrying', attemptCount: 9, attempts, nextAttemptAt });
    const health = await tx.get(Healths, { id });
    tx.update(Healths, { ...health, begun: [once as number, always as number] });
  };
  await whileHeld(['dies once', 'dies always', 'lives'], async (made) => {
    ids = made.map((delivery) => delivery.id);
    await run(dying);
  });
  const [lives, always, once] = ids;
  expect(namesOf(receiver).toSorted()).toEqual(['dies once', 'lives']);
  const shown = async (of: number | undefined) => (await live.get(`${path}/deliveries/${of}`)).body;
  expect(await shown(once)).toMatchObject({
    status: 'succeeded',
    attemptCount: 2,
    attempts: [
      { number: 1, responseStatus: null, error: faults.interrupted },
      { number: 2, responseStatus: 200 },
    ],
  });
  expect(await shown(always)).toMatchObject({ status: 'failed', attemptCount: 10, error: faults.interrupted });
  expect(await shown(lives)).toMatchObject({ status: 'succeeded', attemptCount: 1 });
  expect((await live.get(path)).body.consecutiveFailures).toBe(0);
});

test('the result of an attempt is written and counted once when it is written again', async () => {
  await using receiver = await startReceiver();
  const { tenant, id, deliveries, hold, run } = await workspaceWith(receiver);
  const owner = await hold();
  await fanOut(tenant, eventsOf(1));
  const [{ id: delivery }] = (await deliveries()) as [{ id: number }];
  const commit = (written: AttemptWrites) => commitAttempts(tenant, id, owner, written);
  const { health } = await commit({ beginning: [delivery] });
  const signed = { timestamp: 1, simple: 's', previous: null, standard: 's' };
  const answered = { responseStatus: 200, responseHeaders: {}, responseBody: '', error: null, errorClass: null };
  const ended = { isSuccess: true, isTimeout: false, retryAfter: undefined, signed };
  const attempt = { number: 1, startedAt: timestamp(), durationMs: 1, ...answered, ...ended };
  for (const outcome of [{ attempt }, { fault: faults.interrupted }]) {
    const after = await commit({ results: [{ id: delivery, ...outcome }] });
    expect(after.health).toMatchObject({ begun: [], finished: health.finished + 1 });
  }
  const row = await run((tx) => tx.get(Deliveries, { endpointId: id, id: delivery }));
  expect(row).toMatchObject({ status: 'succeeded', attemptCount: 1 });
  expect((await readBacklog(new UnitOfWork(tenant, system), newHealth(id))).first).toEqual([]);
});

/** What was spoiled is as it was. */
const mend = (odd: Key) =>
  dynamodb.send('UpdateItem', {
    TableName: env('TABLE_NAME'),
    Key: { pk: odd.pk, sk: odd.sk },
    UpdateExpression: 'SET attemptCount = :none',
    ExpressionAttributeValues: { ':none': 0 },
  });

/** The entry of a delivery that waits, and one in front of all others that a newer version may have written. */
function entriesOf(tenant: Tenant, endpointId: number, { sk }: Key) {
  const pk = indexPartition(tenant, Deliveries, { status: { endpointId, status: 'pending' } });
  return { entry: { pk, sk }, newer: { pk, sk: '0000000000', id: 'what a newer version wrote' } };
}

const countOf = async (keys: readonly Key[]) => (await readRows(keys)).size;

test('a delivery that cannot be read or recorded is failed and can be replayed, and the others arrive', async () => {
  await using receiver = await startReceiver();
  const { id, tenant, live, path, addContacts, run, whileHeld } = await workspaceWith(receiver);
  let keys: Key[] = [];
  await whileHeld(['good', 'row of another shape', 'row is gone', 'last'], async (made) => {
    keys = keysOf(tenant, id, made);
    const [, gone, odd] = keys as [Key, Key, Key, Key];
    await spoil(tenant, odd, gone);
    await dynamodb.send('PutItem', { TableName: env('TABLE_NAME'), Item: entriesOf(tenant, id, odd).newer });
  });
  const [last, , odd, good] = keys as [Key, Key, Key, Key];
  const { entry, newer } = entriesOf(tenant, id, odd);
  await addContacts('and on');
  await settleAll();
  // What an entry tells is sent, and then not recorded.
  const sent = ['and on', 'good', 'last', 'row is gone', 'row of another shape'];
  expect(namesOf(receiver).toSorted()).toEqual(sent);
  expect(await countOf([entry, newer])).toBe(0);
  const rows = await run((tx) => tx.findAllByKey(Deliveries, [good, last]));
  expect(rows.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(await run((tx) => tx.get(Healths, { id }))).toMatchObject({ begun: [] });
  await mend(odd);
  const failed = (await live.get(`${path}/deliveries`, { status: 'failed' })).body.items;
  expect(failed).toMatchObject([
    { id: Number(odd.sk), error: `${faults.unrecordable} (ValiError)`, nextAttemptAt: null },
  ]);
  const since = new Date(now() - 600_000).toISOString();
  expect((await live.post(`${path}/replay-failed`, { since })).body).toEqual({ queued: 1 });
  await eventually(async () => receiver.received.length === sent.length + 1, 'the one that can be read again');
  expect(namesOf(receiver).at(-1)).toBe('row of another shape');
});

test('an unreadable endpoint does not block others, and gets its deliveries once readable', async () => {
  await using receiver = await startReceiver();
  await using other = await startReceiver();
  const { id, tenant, live, addContacts, run } = await workspaceWith(receiver);
  await live.post('/v1/webhooks', { url: `${other.url}/`, eventKinds: ['contact.created'] }, 201);
  const place = keyOf(tenant, Endpoints, { id } as StoredEndpoint);
  const set = (url: unknown) =>
    dynamodb.send('UpdateItem', {
      TableName: env('TABLE_NAME'),
      Key: place,
      UpdateExpression: 'SET #url = :url',
      ExpressionAttributeNames: { '#url': 'url' },
      ExpressionAttributeValues: { ':url': url },
    });
  const { url } = await run((tx) => tx.get(Endpoints, { id }));
  await set(7);
  await addContacts('first', 'second');
  await eventually(async () => other.received.length === 2, 'the other endpoint');
  expect(namesOf(other).toSorted()).toEqual(['first', 'second']);
  await set(url);
  await eventually(
    async () => {
      await sweep();
      return receiver.received.length === 2;
    },
    'the one that can be read again',
    50_000,
  );
  expect(namesOf(receiver).toSorted()).toEqual(['first', 'second']);
  expect(other.received).toHaveLength(2);
});

test('a replay of which the original cannot be read lets the others be made, and can be asked for again', async () => {
  await using receiver = await startReceiver(answers(410));
  const { id, tenant, live, path, deliveries, addContacts, run } = await workspaceWith(receiver);
  await addContacts('odd', 'good');
  const all = await eventually(async () => {
    const found = await deliveries();
    return found.length === 2 && found.every(({ completedAt }) => completedAt) && found;
  }, 'failures');
  const [, odd] = keysOf(tenant, id, all) as [Key, Key];
  await spoil(tenant, odd, undefined);
  const since = new Date(now() - 600_000).toISOString();
  expect((await live.post(`${path}/replay-failed`, { since })).body).toEqual({ queued: 2 });
  await eventually(async () => (await run((tx) => tx.find(ReplayQueues, { id }))) === undefined, 'the replays');
  expect((await deliveries()).length).toBe(2);
  await mend(odd);
  expect((await live.post(`${path}/replay-failed`, { since })).body.queued).toBeGreaterThanOrEqual(1);
  await writeRows([{ DeleteRequest: { Key: odd } }]);
});

test('a delivery that cannot be read does not keep a disabled endpoint from being cleared', async () => {
  await using receiver = await startReceiver();
  const { id, tenant, live, path, deliveries, whileHeld } = await workspaceWith(receiver);
  let odd: Key | undefined;
  await whileHeld(['odd', 'gone', 'good'], async (made) => {
    const [, gone, spoiled] = keysOf(tenant, id, made);
    odd = spoiled;
    await spoil(tenant, odd, gone);
    await live.patch(path, { isActive: false });
  });
  // The good one.
  expect((await deliveries({ status: 'skipped' })).length).toBe(1);
  await writeRows(odd ? [{ DeleteRequest: { Key: odd } }] : []);
  expect(receiver.received).toEqual([]);
});
