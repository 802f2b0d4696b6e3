import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Measured, type MeasuredCalls, readMeasured } from '#infra/capacity/measured.ts';
import { renderCapacityPages } from '#infra/capacity/pages.ts';
import { hotPartitions } from '#infra/capacity/partitions.ts';
import { prices } from '#infra/capacity/prices.ts';
import { dollarsPerMillion, simulate } from '#infra/capacity/simulate.ts';
import { loadWorkers } from '#infra/functions.ts';
import { placesIn } from '#infra/table-map.ts';
import { shardsOf } from '#lib/table/keys.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const capacity = (...args: string[]) => run(process.execPath, ['infra/capacity.ts', ...args], { cwd: root });

/** A call that writes so many units into each partition, one row each. */
function call(writes: Record<string, number>, isRequest = true): Measured {
  const writeUnits = Object.values(writes).reduce((sum, units) => sum + units, 0);
  const partitions = Object.fromEntries(
    Object.entries(writes).map(([pattern, units]) => [pattern, { puts: 1, writeUnits: units, readUnits: 0 }]),
  );
  return { what: 'a call', isRequest, budget: [], writeUnits, readUnits: 0, calls: 1, partitions };
}

const calls: MeasuredCalls = {
  change: call({
    'OUTBOX#{shard}': 5,
    '{tenant}#contact?stage={value}': 2,
    'KEY#{keyId}': 1,
    '{tenant}#count/{group}': 4,
  }),
  delivery: call({ '{tenant}#webhook/{endpointId}/delivery': 4, 'DUE#{shard}': 2 }, false),
};
const rates = { perSecond: 200, busiestPerSecond: 200, keys: 1, endpoints: 0 };

test('the tables of the pages are those of what was measured, of the code and of the templates', async () => {
  for (const [file, text] of Object.entries(await renderCapacityPages()))
    expect(await readFile(join(root, file), 'utf8'), 'run npm run capacity-pages').toBe(text);
});

test('every partition in which calls were measured is on the map of the table', () => {
  const patterns = Object.values(readMeasured()).flatMap(({ partitions }) => Object.keys(partitions));
  expect(patterns.length).toBeGreaterThan(100);
  expect(patterns.filter((pattern) => pattern !== 'scan' && placesIn(pattern) === undefined)).toEqual([]);
});

test('a workspace fills its shard of the outbox, which never splits; its counters lie apart', () => {
  const [first, second] = hotPartitions(calls, { change: 1 }, rates);
  expect(first).toMatchObject({ pattern: 'OUTBOX#{shard}', writeUnits: 1000, share: 1, rows: 'rising' });
  expect(second).toMatchObject({ pattern: '{tenant}#count/{group}', writeUnits: 800, rows: 'apart' });
});

test('what other workspaces write spreads over the shards, and a workspace over its keys', () => {
  const loads = (given: Partial<typeof rates>) =>
    Object.fromEntries(
      hotPartitions(calls, { change: 1 }, { ...rates, ...given }).map(({ pattern, writeUnits }) => [
        pattern,
        writeUnits,
      ]),
    );
  const many = loads({ perSecond: 200 + shardsOf('outbox').length * 100, busiestPerSecond: 200, keys: 4 });
  expect(many['OUTBOX#{shard}']).toBe(5 * 300);
  expect(many['{tenant}#contact?stage={value}']).toBe(2 * 200);
  expect(many['KEY#{keyId}']).toBe(50);
});

test('each endpoint gets each event, and nobody pays API Gateway for that', async () => {
  const workers = await loadWorkers();
  const load = { ...rates, workspaces: 1, mix: { change: 1 }, endpoints: 3 };
  const { rates: asked, hot, dollars } = simulate(load, calls, workers);
  expect(asked).toMatchObject({ requests: 200, events: 200, deliveries: 600, writeUnits: 200 * 12 + 600 * 6 });
  expect(hot.find(({ pattern }) => pattern.includes('{endpointId}'))?.writeUnits).toBe(4 * 200);
  const without = simulate({ ...load, endpoints: 0 }, calls, workers).dollars;
  expect(dollars['API Gateway']).toBe(without['API Gateway']);
  expect(Number(dollars['SQS'])).toBeGreaterThan(Number(without['SQS']));
  expect(dollarsPerMillion('change', calls, workers)['DynamoDB']).toBeCloseTo(12 * prices.writeUnits);
});

test.each([
  [['--mix', 'frobnicate=2'], /--mix: there is no call "frobnicate"; there are create-contact, /],
  [['--per-second', 'many'], /--per-second many: must be a number of at least 0/],
  [['--busiest', '900'], /--busiest 900: is more than all of them/],
  [['--workspaces', '2', '--busiest', '1'], /--busiest 1: with 2 workspaces one has more/],
  [['--frobnicate'], /Unknown option '--frobnicate'/],
])('npm run capacity refuses %s in one line', async (args, said) => {
  const { code, stderr } = await capacity(...args).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(said);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('npm run capacity says what is full, and its help every flag', async () => {
  const { stdout } = await capacity('--mix', 'create-contact', '--per-second', '250', '--busiest', '250', '--json');
  const { hot, idle } = JSON.parse(stdout);
  const outbox = hot.find(({ pattern }: { pattern: string }) => pattern === 'OUTBOX#{shard}');
  expect(outbox.rows).toBe('rising');
  expect(outbox.share).toBeCloseTo(outbox.writeUnits / 1000);
  expect(idle.find(({ what }: { what: string }) => /alarms$/.test(what)).dollars).toBeGreaterThan(1);
  expect((await capacity('--help')).stdout).toMatch(/--workspaces <n>.*--endpoints <n>.*--mix/s);
});
