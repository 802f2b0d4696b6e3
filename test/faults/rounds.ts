import { parseArgs } from 'node:util';
import { type RoundResult, runRound } from '#test/faults/round.ts';
import { startDouble } from '#test/telegram/double.ts';

/** `npm run test:faults`: seeded rounds, one line each, and the sums. Exits 1 when the books of one do not balance. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    calls: { type: 'string', default: '100' },
    faults: { type: 'string', default: '6' },
    /** `--no-poison` tells what poison does to the others' latency. */
    'no-poison': { type: 'boolean', default: false },
  },
});

const columns: Record<string, (result: RoundResult) => number> = {
  changes: ({ changes }) => changes,
  events: ({ events }) => events,
  delivered: ({ succeeded }) => succeeded,
  failed: ({ failed }) => failed,
  skipped: ({ skipped }) => skipped,
  replayed: ({ replayed }) => replayed,
  again: ({ duplicateDeliveries }) => duplicateDeliveries,
  rebound: ({ rebound }) => rebound,
  sent: ({ sent }) => sent,
  ambiguous: ({ ambiguous }) => ambiguous,
  refused: ({ refused }) => refused,
  mails: ({ mails }) => mails,
  'mail again': ({ duplicateMails }) => duplicateMails,
  heard: ({ heard }) => heard,
  'heard twice': ({ heardAgain }) => heardAgain,
  files: ({ files }) => files,
  'kill -9': ({ kills }) => kills.system,
  engine: ({ kills }) => kills.engine,
  function: ({ kills }) => kills.function,
  DynamoDB: ({ injected }) => injected,
  poison: ({ poison }) => poison,
  'p50 ms': ({ latencyMs }) => latencyMs,
  retries: ({ retries }) => retries,
  seconds: ({ seconds }) => seconds,
};

const maxShown = 20;
const width = Math.max(...Object.keys(columns).map(({ length }) => length));
const line = (name: string, cells: readonly (string | number)[], verdict: string) =>
  console.log([name.padEnd(8), ...cells.map((cell) => String(cell).padStart(width)), ` ${verdict}`].join(' '));

// One for all rounds: its address is part of what is built.
const double = await startDouble();
const results: RoundResult[] = [];
line('seed', Object.keys(columns), '');
for (let index = 0; index < Number(values.rounds); index += 1) {
  const seed = Number(values.seed) + index;
  const settings = {
    seed,
    calls: Number(values.calls),
    faults: Number(values.faults),
    isProxied: seed % 2 === 0,
    isPoisoned: !values['no-poison'],
  };
  const result = await runRound(settings, double.url);
  results.push(result);
  const cells = Object.values(columns).map((of) => of(result));
  line(String(seed), cells, result.differences.length === 0 ? 'balanced' : 'NOT balanced');
  for (const difference of result.differences.slice(0, maxShown)) console.log(`  ${difference}`);
  if (result.differences.length > maxShown) console.log(`  and ${result.differences.length - maxShown} more`);
}

await double.close();
const balanced = results.filter(({ differences }) => differences.length === 0).length;
const sums = Object.values(columns).map((of) => results.reduce((sum, result) => sum + of(result), 0));
line('all', sums, `${balanced} of ${results.length} balanced`);
process.exitCode = balanced === results.length ? 0 : 1;
