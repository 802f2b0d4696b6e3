import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { timestamp } from '#lib/core/clock.ts';
import { operator, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { rowKey } from '#lib/table/keys.ts';
import { outboxItems } from '#lib/table/outbox.ts';
import { putRows, type Row, readRow } from '#lib/table/rows.ts';
import { demoClient } from '#test/bench/demo.ts';
import { atLeast, atMost, beside, type Line, quantile } from '#test/bench/report.ts';
import { type Client, eventually } from '#test/client.ts';
import { readEnvironment, startSystem } from '#test/system.ts';

const changes = 2_000;
const workspaces = 200;
const giveUpMs = 120_000;
/** Of one workspace (docs/capacity.md). */
const wantedPerSecond = 200;
const steady = { perSecond: 20, seconds: 15 };
const pollMs = 50;

/**
 * How fast the events of committed changes get their numbers: two thousand changes of one workspace at once, the same of two hundred
 * workspaces; and how late events are under a steady load of calls, as many as a laptop bears.
 */
export async function load(workDir: string): Promise<Line[]> {
  const dataDir = join(workDir, 'load');
  const system = await startSystem(dataDir, { RATE_LIMIT_PER_MINUTE: '100000' }, []);
  try {
    Object.assign(process.env, await readEnvironment(dataDir));
    const client = await demoClient(dataDir, system.baseUrl);
    await steadily(client);
    const one = await publishedPerSecond([{ workspaceId: 1_000_001, env: 'live' }]);
    const many = await publishedPerSecond(
      Array.from({ length: workspaces }, (_, index) => ({ workspaceId: 1_100_000 + index, env: 'live' as const })),
    );
    const { lagsMs, callsMs } = await steadily(client);
    const [lagMs, callMs] = [quantile(lagsMs, 0.95), quantile(callsMs, 0.95)];
    return [
      atLeast('events numbered of one workspace that changes 2,000 times at once', one, wantedPerSecond, '/s'),
      beside(`the same of ${workspaces} workspaces together`, `${many.toFixed(0)}/s`),
      atMost(
        `from an answer to its event in the feed at ${steady.perSecond} creates/s, p95`,
        lagMs,
        5_000,
        ' ms',
        `the call itself ${callMs.toFixed(0)} ms`,
      ),
    ];
  } finally {
    await system.stop();
  }
}

/** From the first row that is there to the last event that is. */
async function publishedPerSecond(tenants: readonly Tenant[]): Promise<number> {
  const now = timestamp();
  const each = changes / tenants.length;
  const rows = tenants.flatMap((tenant) =>
    Array.from({ length: each }, () => {
      const event = {
        kind: 'contact.created' as const,
        subject: 'contact/1',
        data: eventKinds['contact.created'].example,
        timestamp: now,
      };
      return outboxItems(tenant, randomUUID(), now, operator, [event], undefined)[0] as Row;
    }),
  );
  const startedMs = Date.now();
  await putRows(rows);
  const areDone = async () => {
    const ends = await Promise.all(tenants.map((tenant) => readRow(rowKey('sequence', { tenant: tenantKey(tenant) }))));
    return ends.every((end) => end?.['last'] === each && end['open'] === undefined);
  };
  await eventually(areDone, 'the events', giveUpMs);
  return changes / ((Date.now() - startedMs) / 1000);
}

async function steadily(client: Client): Promise<{ lagsMs: number[]; callsMs: number[] }> {
  const answeredMs = new Map<string, number>();
  const seenMs = new Map<string, number>();
  const callsMs: number[] = [];
  let since = 0;
  const look = async () => {
    const found = await events(client, since);
    for (const { sequence, data } of found) {
      since = sequence;
      seenMs.set(String(data.contact_id), Date.now());
    }
    return found.length;
  };
  while ((await look()) > 0);
  const calls: Promise<void>[] = [];
  const create = async (name: string) => {
    const startedMs = Date.now();
    const { status, body } = await client.post('/v1/contacts', { name });
    if (status !== 201) throw new Error(`a create answers ${status}`);
    callsMs.push(Date.now() - startedMs);
    answeredMs.set(String(body.id), Date.now());
  };
  const making = (async () => {
    for (let made = 0; made < steady.perSecond * steady.seconds; made += 1) {
      calls.push(create(`Load ${made}`));
      await sleep(1000 / steady.perSecond);
    }
    await Promise.all(calls);
  })();
  const deadlineMs = Date.now() + giveUpMs;
  const areSeen = () =>
    answeredMs.size === steady.perSecond * steady.seconds && [...answeredMs.keys()].every((id) => seenMs.has(id));
  while (!areSeen()) {
    if (Date.now() > deadlineMs) throw new Error('some events were not seen');
    await look();
    await sleep(pollMs);
  }
  await making;
  const lagsMs = [...answeredMs].map(([id, atMs]) => Math.max(0, (seenMs.get(id) as number) - atMs));
  return { lagsMs, callsMs };
}

const events = async (client: Client, since: number): Promise<{ sequence: number; data: { contact_id?: string } }[]> =>
  (await client.get('/v1/events', { since, limit: 100 })).body.items;
