import { randomUUID } from 'node:crypto';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { expect, test, vi } from 'vitest';
import { fromNow, now, sleep, timestamp } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { sweep } from '#lib/publishing/sweep.ts';
import { dispatch } from '#lib/queues/dispatch.ts';
import { dispatchTimers } from '#lib/queues/send.ts';
import { bury, listDead, maxTries, putBack } from '#lib/table/dead-letter.ts';
import { duePrefix } from '#lib/table/entity.ts';
import { shardOf } from '#lib/table/keys.ts';
import { outboxItems } from '#lib/table/outbox.ts';
import { type Row, readRows, writeRows } from '#lib/table/rows.ts';
import { bytesOf } from '#lib/table/size.ts';
import { between } from '#test/between.ts';
import { eventually } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

const put = (rows: readonly Row[]) => writeRows(rows.map((Item) => ({ PutRequest: { Item } })));
const remove = (rows: readonly Row[]) => writeRows(rows.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
const idOf = ({ pk, sk }: Row) => `${pk}/${sk}`;

/** A timer that is overdue, of a tenant that has nothing else. */
function overdue(tenant: string, name: string, more: object = {}): Row {
  const at = fromNow(-60_000);
  const group = `${tenant}/telegram/1`;
  const pk = `${duePrefix}#${shardOf('due', group)}`;
  return {
    pk,
    sk: `${at}#${tenant}#test#${name}`,
    at,
    queue: 'invoices',
    tenant,
    group,
    message: { invoiceId: 1 },
    ...more,
  };
}

const newTenant = async () => `${(await newWorkspace()).id}:live`;

test('timers that cannot be read or sent block no others, and are dead letters', async () => {
  const tenant = await newTenant();
  const poison = [
    overdue(tenant, 'queue', { queue: 'carrier-pigeons' }),
    overdue(tenant, 'time', { at: 'tomorrow' }),
    overdue(tenant, 'tenant', { tenant: 'nobody' }),
    overdue(tenant, 'message', { message: 'garbage' }),
  ];
  const sound = overdue(tenant, 'sound');
  // The stream's worker goes on without them.
  expect(await dispatch([...poison, sound])).toEqual([]);
  await put([...poison.map((row) => ({ ...row, tries: maxTries - 1 })), sound]);
  const dead = async () => (await listDead()).filter(({ id }) => poison.some((row) => idOf(row) === id));
  await eventually(async () => {
    await sweep();
    return (await dead()).length === poison.length;
  }, 'the poison to be dead');
  const told = (await readRows([sound])).get(`${sound.pk}|${sound.sk}`);
  expect(told?.['tries']).toBeGreaterThanOrEqual(1);
  expect((await dead()).map(({ tries }) => tries)).toEqual(poison.map(() => maxTries));
  await sweep();
  expect((await dead()).map(({ tries }) => tries)).toEqual(poison.map(() => maxTries));
  for (const row of poison) expect(await putBack(idOf(row))).toBe(true);
  expect(await dead()).toEqual([]);
  expect([...(await readRows(poison)).values()]).toEqual(expect.arrayContaining(poison));
  await remove([...poison, sound]);
});

test('a timer that the Scheduler does not take holds up none that need it not, and is left to its time', async () => {
  const tenant = await newTenant();
  const far = overdue(tenant, 'far', { at: fromNow(3_600_000) });
  const soon = overdue(tenant, 'soon');
  const slowDown = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  const asked = vi.spyOn(SchedulerClient.prototype, 'send').mockRejectedValue(slowDown as never);
  try {
    expect(await dispatch([far, soon])).toEqual([]);
    expect(asked).toHaveBeenCalledOnce();
  } finally {
    asked.mockRestore();
  }
});

test('rows of one account that wait for its pace are served by one message and are not overdue', async () => {
  const tenant = await newTenant();
  const jobs = Array.from({ length: 300 }, (_, index) =>
    overdue(tenant, `job-${index}`, {
      queue: 'telegram',
      message: { accountId: 1, jobId: index + 1 },
      isForGroup: true,
    }),
  );
  await put(jobs);
  const first = await sweep();
  const told = async () => [...(await readRows(jobs)).values()].filter(({ tries }) => tries !== undefined).length;
  expect(await told()).toBe(1);
  const second = await sweep();
  expect(await told()).toBe(1);
  expect((second.overdueRows as number) - (first.overdueRows as number)).toBeLessThan(100);
  expect(second.failures).toEqual([]);
  await remove(jobs);
});

test('mails that wait for their turn are all sent to their worker, and are overdue as one', async () => {
  const tenant = await newTenant();
  const before = await sweep();
  const mails = Array.from({ length: 150 }, (_, index) =>
    overdue(tenant, `mail-${index}`, { queue: 'email', message: { jobId: 1_000 + index }, isPaced: true, tries: 1 }),
  );
  await put(mails);
  const after = await sweep();
  expect((after.overdueRows as number) - (before.overdueRows as number)).toBeLessThan(100);
  const told = [...(await readRows(mails)).values()].filter(({ tries }) => (tries as number) >= 2);
  expect(told.length).toBe(mails.length);
  await remove(mails);
});

test('a timer whose message is sent in vain is sent ever more rarely, is overdue, and after a day dead', async () => {
  const tenant = await newTenant();
  const row = overdue(tenant, 'vain');
  const triesOf = async () => [...(await readRows([row])).values()][0]?.['tries'];
  await put([row]);
  await sweep();
  const once = await triesOf();
  expect(once).toBeGreaterThanOrEqual(1);
  expect((await sweep()).overdueRows).toBeGreaterThanOrEqual(1);
  expect(await triesOf()).toBe(once);
  await put([{ ...row, tries: 5, triedAt: fromNow(-5 * 60_000) }]);
  await sweep();
  expect(await triesOf()).toBe(5);
  await put([{ ...row, tries: 149, triedAt: fromNow(-10 * 60_000) }]);
  await sweep();
  const dead = (await listDead()).find(({ id }) => id === idOf(row));
  expect(dead).toMatchObject({ tenant, tries: 150, reason: 'Error: sent in vain' });
  await remove([row]);
});

test('the list of dead letters reads no timer that is due later than in an hour', async () => {
  const tenant = await newTenant();
  const dead = { dead: { at: timestamp(), reason: 'a reason' } };
  const rows = [30, 90].map((minutes) => {
    const at = fromNow(minutes * 60_000);
    return { ...overdue(tenant, 'ahead', dead), at, sk: `${at}#${tenant}#test#ahead` };
  });
  await put(rows);
  const found = (await listDead()).filter((one) => one.tenant === tenant);
  expect(found.map(({ id }) => id)).toEqual([idOf(rows[0] as Row)]);
  await remove(rows);
});

test('a row without room for the mark of a dead letter is counted by the metric', async () => {
  const row = overdue(await newTenant(), 'full', { note: '' });
  const full = { ...row, note: 'x'.repeat(400 * 1024 - bytesOf(row)) };
  await put([full]);
  const lines = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
    await bury(full, new Error('a reason'));
    expect(lines.mock.calls.flat().join('')).toContain('"deadRows":1');
  } finally {
    lines.mockRestore();
    vi.unstubAllEnvs();
  }
  await remove([full]);
});

/** The partition that is asked for. */
const pkOf = (input: Record<string, unknown>) =>
  (input['ExpressionAttributeValues'] as Record<string, unknown> | undefined)?.[':pk'];

test('resting rows at the head of a shard do not block those behind them in short sweeps', async () => {
  const tenant = await newTenant();
  const resting = { tries: 1, triedAt: fromNow(3_600_000), note: 'x'.repeat(300_000) };
  const head = Array.from({ length: 12 }, (_, index) => overdue(tenant, `a-${index}`, resting));
  const last = overdue(tenant, 'b-last');
  await put([...head, last]);
  // The system sweeps, too: what counts is what is read here.
  let isRead = false;
  const slow: Parameters<typeof between>[0] = async ({ input }, next) => {
    const answer = await next();
    if (pkOf(input) !== last.pk) return answer;
    isRead ||= JSON.stringify(answer['Items']).includes(last.sk);
    // One page of it uses up the time of the sweep.
    await sleep(4_000);
    return answer;
  };
  try {
    await between(slow, async () => {
      for (let sweeps = 0; !isRead && sweeps < 12; sweeps += 1) await sweep({ budgetMs: 3_000, giveUpMs: 10_000 });
    });
  } finally {
    await remove([...head, last]);
  }
  expect(isRead).toBe(true);
});

test('a due index that nobody gets through keeps no event waiting, and no number of it is reported', async () => {
  const { id } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  const data = eventKinds['contact.created'].example;
  const event = { kind: 'contact.created' as const, subject: 'contact/1', data };
  const before = new Date(now() - 60_000).toISOString();
  const [row] = outboxItems(
    tenant,
    randomUUID(),
    timestamp(),
    operator,
    [{ ...event, timestamp: timestamp() }],
    undefined,
  );
  // The stream could not publish it.
  const left = { ...(row as Row), sk: `${before}#${randomUUID()}` };
  await put([{ ...left, events: 'unreadable' }]);
  await eventually(async () => (await readRows([left])).values().next().value?.['tries'] === 1, 'the first try');
  await put([left]);
  const slow: Parameters<typeof between>[0] = async ({ input }, next) => {
    if (String(pkOf(input)).startsWith(duePrefix)) await sleep(60_000);
    return next();
  };
  await between(slow, async () => {
    const { overdueRows, unpublishedRows } = await sweep({ budgetMs: 4_000, giveUpMs: 4_000 });
    expect(overdueRows).toBeUndefined();
    expect(unpublishedRows).toBeGreaterThanOrEqual(1);
  });
  expect((await readRows([left])).size).toBe(0);
});

test('sweeps that have time for little begin elsewhere each time', async () => {
  const begun = new Set<string>();
  for (let sweeps = 0; sweeps < 6; sweeps += 1) {
    const asked: string[] = [];
    const slow: Parameters<typeof between>[0] = async ({ input }, next) => {
      const pk = String(pkOf(input));
      if (!pk.startsWith(duePrefix)) return next();
      asked.push(pk);
      await sleep(1_000);
      return next();
    };
    await between(slow, () => sweep({ budgetMs: 200, giveUpMs: 5_000 }));
    begun.add(asked[0] ?? '');
  }
  expect(begun.size).toBeGreaterThan(1);
});

test('a sweep that cannot look says so, instead of that there is nothing', async () => {
  vi.stubEnv('TABLE_NAME', 'no-such-table');
  try {
    const { failures, ...counts } = await sweep();
    expect(counts).toEqual({ overdueRows: undefined, unpublishedRows: undefined, deadRows: undefined });
    expect(failures.length).toBeGreaterThan(0);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('one timer that a queue does not take keeps no other from being sent', async () => {
  const tenant = await newTenant();
  const row = (name: string, message: Record<string, unknown>) => ({
    ...(overdue(tenant, name) as ReturnType<typeof overdue> & { at: string; tenant: string; group: string }),
    queue: 'invoices' as const,
    message,
    tries: 0,
    at: timestamp(),
  });
  const huge = row('huge', { invoiceId: 1, note: 'x'.repeat(1_100_000) });
  const untold = await dispatchTimers([row('a', { invoiceId: 1 }), huge, row('b', { invoiceId: 2 })]);
  expect(untold.map((one) => one.row)).toEqual([huge]);
});
