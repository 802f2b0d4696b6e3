import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadWorkers, type WorkerFunction } from '#infra/functions.ts';
import { assumed } from './assumed.ts';
import { type Idle, idleMonth } from './idle.ts';
import { limits } from './limits.ts';
import { type MeasuredCalls, readMeasured } from './measured.ts';
import { hotPartitions } from './partitions.ts';
import { ofTable, prices } from './prices.ts';
import { dollarsPerMillion } from './simulate.ts';

const root = join(import.meta.dirname, '../..');

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const dollars = (value: number) => `$${value.toFixed(2)}`;
const whole = (value: number) => Math.floor(value).toLocaleString('en');
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/** What calls cost at the table, as `npm run bench units` measured it last. */
function unitsTable(calls: MeasuredCalls): string {
  const rows = Object.values(calls).map(({ what, budget, ...cost }) => {
    const values = [cost.writeUnits, cost.readUnits, cost.calls].map((value) => String(Math.round(value)));
    const limit = values.map((_, index) => budget[index] ?? '-').join(' / ');
    return [what, values.join(' / '), dollars(ofTable(cost)), budget.length === 0 ? '' : limit];
  });
  return table(['call', 'write / read units / calls', '$ a million', 'budget'], rows);
}

/** What a million of each call cost, and where and when a workspace that makes nothing else is first too much. */
function callsTable(calls: MeasuredCalls, workers: readonly WorkerFunction[]): string {
  const shown = ['DynamoDB', 'API Gateway', 'Lambda', 'SQS'];
  const rows = Object.entries(calls)
    .filter(([, { calls: made, isRequest, what }]) => isRequest || (made > 0 && what.startsWith('a delivery')))
    .map(([name, { what }]) => {
      const spent = dollarsPerMillion(name, calls, workers);
      const all = sum(Object.values(spent));
      const others = all - sum(shown.map((service) => spent[service] ?? 0));
      const [first] = hotPartitions(
        calls,
        { [name]: 1 },
        { perSecond: 1, busiestPerSecond: 1, keys: 100, endpoints: 1 },
      );
      const full = first ? `${whole(1 / first.share)}/s: \`${first.pattern}\`` : '';
      return [what, dollars(all), ...shown.map((service) => dollars(spent[service] ?? 0)), dollars(others), full];
    });
  return table(['call', '$ a million', ...shown, 'others', 'one workspace fills first'], rows);
}

/** What is in no call's price, because it depends on who calls when. */
function besidesTable(): string {
  const later = prices.schedules + 3 * prices.sqsRequests + prices.invocations;
  const coldStart = assumed.coldStartMs * 1000 * (assumed.memoryMb / 1024) * prices.gbSecond;
  const rows: [string, number][] = [
    ['a recipient of a mail, at SES', prices.mailRecipients],
    ['a mail that comes in, at SES', prices.mailsIn],
    ['each begun 256 KB of it', prices.mailChunksIn],
    ['something for later: its schedule, and its second way through SQS and Lambda', later],
    ['a secret that KMS decrypts, as of an account for each start of its sender', prices.kmsRequests],
    ['a trace, with `-c tracing=active`', prices.traces],
    [`a cold start of ${assumed.coldStartMs} ms`, coldStart],
  ];
  return table(
    ['besides', '$ a million'],
    rows.map(([what, each]) => [what, dollars(each)]),
  );
}

function idleTable(idle: Idle): string {
  const rows = idle.map(({ service, what, dollars: each }) => [service, what, dollars(each)]);
  return table(
    ['service', 'what', 'a month'],
    [...rows, ['', 'together', dollars(sum(idle.map((one) => one.dollars)))]],
  );
}

const limitsTable = (calls: MeasuredCalls, workers: readonly WorkerFunction[]) =>
  table(
    ['where', 'what it takes', 'what is seen beyond', 'what gives it more'],
    limits(calls, workers).map(({ where, load, seen, lift }) => [where, load, seen, lift]),
  );

/** Replaces what stands between `<!-- name -->` and `<!-- end -->`. Throws where a page has no such place. */
function filledIn(page: string, name: string, text: string): string {
  const start = `<!-- ${name} -->\n`;
  const from = page.indexOf(start);
  const to = page.indexOf('<!-- end -->', from);
  if (from === -1 || to === -1) throw new Error(`the page has no place for ${name}`);
  return `${page.slice(0, from + start.length)}${text}\n${page.slice(to)}`;
}

/** The pages about costs and capacity with their tables, by their files. */
export async function renderCapacityPages(): Promise<Record<string, string>> {
  const calls = readMeasured();
  const [workers, idle] = await Promise.all([loadWorkers(), idleMonth()]);
  const tables: Record<string, Record<string, string>> = {
    'docs/costs.md': { units: unitsTable(calls) },
    'docs/capacity.md': {
      limits: limitsTable(calls, workers),
      calls: callsTable(calls, workers),
      besides: besidesTable(),
      idle: idleTable(idle),
    },
  };
  const pages = Object.entries(tables).map(async ([file, filled]) => {
    let page = await readFile(join(root, file), 'utf8');
    for (const [name, text] of Object.entries(filled)) page = filledIn(page, name, text);
    return [file, page] as const;
  });
  return Object.fromEntries(await Promise.all(pages));
}

if (import.meta.main)
  for (const [file, text] of Object.entries(await renderCapacityPages())) await writeFile(join(root, file), text);
