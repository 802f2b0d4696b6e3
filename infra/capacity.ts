import { parseArgs } from 'node:util';
import { idleMonth } from './capacity/idle.ts';
import { type MeasuredCalls, readMeasured } from './capacity/measured.ts';
import { type Hot, partitionLimits } from './capacity/partitions.ts';
import { type Load, simulate } from './capacity/simulate.ts';
import { loadWorkers } from './functions.ts';

const usage = `npm run -s capacity -- [flags]: what a load asks of the partitions of the table and of AWS, and what it costs

  --workspaces <n>   how many there are (1000)
  --per-second <n>   calls of all of them together in a second (200)
  --busiest <n>      calls of the busiest workspace in a second (a tenth of all)
  --keys <n>         API keys that the busiest one calls with (1)
  --endpoints <n>    webhook endpoints of each workspace that get every event (1)
  --mix <name=n,…>   how often each call comes (get=50,list=20,search=5,create-contact=10,patch-name=10,message=5)
  --top <n>          how many partitions are shown (12)
  --json             the same as JSON

Units of each call are those that npm run bench units measured last (infra/capacity/measured.json); a partition takes
${partitionLimits.writeUnits} write and ${partitionLimits.readUnits} read units in a second.`;

const options = {
  workspaces: { type: 'string', default: '1000' },
  'per-second': { type: 'string', default: '200' },
  busiest: { type: 'string' },
  keys: { type: 'string', default: '1' },
  endpoints: { type: 'string', default: '1' },
  mix: { type: 'string', default: 'get=50,list=20,search=5,create-contact=10,patch-name=10,message=5' },
  top: { type: 'string', default: '12' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** What whoever asks can mend: shown in one line. */
class Refused extends Error {}

function number(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= least) || value === Number.POSITIVE_INFINITY)
    throw new Refused(`--${flag} ${text}: must be a number of at least ${least}`);
  return value;
}

function mixOf(text: string, calls: MeasuredCalls): Record<string, number> {
  const known = Object.keys(calls).filter((name) => calls[name]?.isRequest);
  const weights = text.split(',').map((part): [string, number] => {
    const [name = '', weight = '1'] = part.split('=');
    if (!known.includes(name)) throw new Refused(`--mix: there is no call "${name}"; there are ${known.join(', ')}`);
    return [name, number(`mix ${name}`, weight, 0)];
  });
  const sum = weights.reduce((all, [, weight]) => all + weight, 0);
  if (sum === 0) throw new Refused('--mix: no call has a weight');
  return Object.fromEntries(weights.map(([name, weight]) => [name, weight / sum]));
}

function argumentsOf(args: string[]) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new Refused((error as Error).message);
  }
}

function loadOf(values: ReturnType<typeof argumentsOf>, calls: MeasuredCalls): Load {
  const perSecond = number('per-second', values['per-second'], 0);
  const busiestPerSecond = values.busiest === undefined ? perSecond / 10 : number('busiest', values.busiest, 0);
  const workspaces = number('workspaces', values.workspaces, 1);
  if (busiestPerSecond > perSecond) throw new Refused(`--busiest ${busiestPerSecond}: is more than all of them`);
  if (busiestPerSecond * workspaces < perSecond)
    throw new Refused(`--busiest ${busiestPerSecond}: with ${workspaces} workspaces one has more`);
  return {
    workspaces,
    perSecond,
    busiestPerSecond,
    keys: number('keys', values.keys, 1),
    endpoints: number('endpoints', values.endpoints, 0),
    mix: mixOf(values.mix, calls),
  };
}

const shown = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
const dollars = (value: number) =>
  `$${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

const columns = (rows: readonly (readonly string[])[]) => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

function hotRow({ pattern, writeUnits, readUnits, share, rows }: Hot, { busiestPerSecond }: Load): string[] {
  const state = share >= 1 ? (rows === 'apart' ? 'full until it splits' : 'SATURATED') : '';
  return [
    pattern,
    shown(writeUnits),
    shown(readUnits),
    `${shown(100 * share)} %`,
    rows,
    shown(busiestPerSecond / share),
    state,
  ];
}

async function report(args: string[]): Promise<string> {
  const values = argumentsOf(args);
  if (values.help) return usage;
  const calls = readMeasured();
  const load = loadOf(values, calls);
  const top = number('top', values.top, 1);
  const [workers, idle] = await Promise.all([loadWorkers(), idleMonth()]);
  const simulated = simulate(load, calls, workers);
  if (values.json) return JSON.stringify({ load, ...simulated, idle }, undefined, 2);
  const { hot, rates, invocations } = simulated;
  const idleDollars = idle.reduce((sum, one) => sum + one.dollars, 0);
  const months = { ...simulated.dollars, 'the idle system': idleDollars };
  const all = Object.values(months).reduce((sum, one) => sum + one, 0);
  const section = (title: string, rows: string[][]) => `${title}\n\n${columns(rows)}\n`;
  return [
    section('The hottest partitions, in a second', [
      ['partition', 'write units', 'read units', 'of what it takes', 'rows', 'full at calls/s of the busiest', ''],
      ...hot.slice(0, top).map((one) => hotRow(one, load)),
    ]),
    section('In a second', [
      ...Object.entries(rates).map(([name, value]) => [name, shown(value)]),
      ...Object.entries(invocations).map(([name, value]) => [`invocations: ${name}`, shown(value)]),
    ]),
    section('Dollars of a month at this load', [
      ...Object.entries(months).map(([name, value]) => [name, dollars(value)]),
      ['together', dollars(all)],
    ]),
  ].join('\n');
}

if (import.meta.main) {
  await report(process.argv.slice(2)).then(
    (text) => console.log(text),
    (error: unknown) => {
      if (!(error instanceof Refused)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    },
  );
}
