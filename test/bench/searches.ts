import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { join } from 'node:path';
import { parse } from 'valibot';
import { type CopiedNoun, copiedNouns } from '#lib/core/choices.ts';
import { env } from '#lib/core/env.ts';
import { searchBody } from '#lib/core/search-body.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Copies } from '#lib/entities/copy.ts';
import { askRenewal } from '#lib/search/copy-store.ts';
import { search } from '#lib/search/search.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { demoClient } from '#test/bench/demo.ts';
import { ago, manyOf, newWorkspace, type Templates, templatesOf, writeRows } from '#test/bench/many.ts';
import type { Meter } from '#test/bench/meter.ts';
import { startMetered } from '#test/bench/metered.ts';
import { atMost, beside, type Line, median, quantile } from '#test/bench/report.ts';
import { type Client, eventually } from '#test/client.ts';
import { readEnvironment } from '#test/system.ts';

/** `SEARCHES=1000,10000,100000,1000000` asks for more: the last takes long to write. */
const sizes = (process.env['SEARCHES'] ?? '1000,10000').split(',').map(Number);
/** Of larger ones only contacts are written. */
const mostOfEach = 100_000;
const repeats = 20;
const copyMs = 1_800_000;

/**
 * Searches over copies with so many rows: read units beside the files, requests for the files of a function that starts, CPU of one that
 * has started, and the 95th percentile of the local system. Filters, orders, and texts hit nothing, few, or all.
 */
export async function searches(workDir: string): Promise<Line[]> {
  await using metered = await startMetered(join(workDir, 'searches'), { RATE_LIMIT_PER_MINUTE: '1000000' });
  const { dataDir, meter, baseUrl } = metered;
  Object.assign(process.env, await readEnvironment(dataDir));
  const templates = await templatesOf(await demoClient(dataDir, baseUrl));
  const lines: Line[] = [];
  for (const size of sizes) lines.push(...(await measuredAt(size, templates, baseUrl, meter)));
  return lines;
}

async function measuredAt(size: number, templates: Templates, baseUrl: string, meter: Meter): Promise<Line[]> {
  const { tenant, client } = await newWorkspace(`Searched ${size}`, baseUrl);
  const { id: tagId } = (await client.post('/v1/tags', { name: 'Many' })).body;
  const { contacts, companies, deals, tasks, threads } = manyOf(size, tagId, templates);
  const written = size > mostOfEach ? [contacts] : [contacts, companies, deals, tasks, threads];
  for (const one of written) await writeRows(tenant, one, size);
  await copied(
    tenant,
    copiedNouns.filter((noun) => written.some(({ of }) => of.name === noun)),
  );
  const lines: Line[] = [];
  for (const [name, body] of Object.entries(bodies))
    lines.push(...(await costOf(`${size.toLocaleString('en')}: ${name}`, { tenant, client, meter }, body, size)));
  const everywhere = async (q: string) => {
    const ms: number[] = [];
    for (let index = 0; index <= repeats; index += 1) {
      const startedMs = performance.now();
      await client.get('/v1/search', { q }, 200);
      if (index > 0) ms.push(performance.now() - startedMs);
    }
    return quantile(ms, 0.95);
  };
  const what = `${size.toLocaleString('en')} of each: one search over everything`;
  const limit = size > mostOfEach ? Number.POSITIVE_INFINITY : 300;
  lines.push(
    atMost(`${what}, one in 1,000 fits, p95`, await everywhere('rare'), limit, ' ms'),
    atMost(`${what}, all contacts fit, p95`, await everywhere('person'), limit, ' ms'),
  );
  return lines;
}

/** Has copies made, and waits until they are there. */
async function copied(tenant: Tenant, nouns: readonly CopiedNoun[]): Promise<void> {
  for (const noun of nouns) await askRenewal(tenant, noun);
  await eventually(
    async () => {
      const tx = UnitOfWork.forAnswer(tenant, system);
      const copies = await Promise.all(nouns.map((noun) => tx.get(Copies, { noun })));
      return copies.every(({ version }) => version !== null);
    },
    'the copies',
    copyMs,
  );
}

interface At {
  tenant: Tenant;
  client: Client;
  meter: Meter;
}

async function costOf(name: string, { tenant, client, meter }: At, body: object, size: number): Promise<Line[]> {
  const ms: number[] = [];
  meter.take();
  const first = await requestsOf(() => searchHere(tenant, body));
  const readUnits = meter.take().readUnits;
  const cpuMs: number[] = [];
  for (let index = 0; index < 5; index += 1) {
    const from = process.cpuUsage();
    await searchHere(tenant, body);
    const { user, system: kernel } = process.cpuUsage(from);
    cpuMs.push((user + kernel) / 1000);
  }
  for (let index = 0; index <= repeats; index += 1) {
    const startedMs = performance.now();
    await client.post('/v1/contacts/search', body, 200);
    if (index > 0) ms.push(performance.now() - startedMs);
  }
  const isMillion = size > mostOfEach;
  return [
    atMost(`${name}, read units`, readUnits, 60, ''),
    isMillion
      ? beside(`${name}, requests for files`, `${first}`)
      : atMost(`${name}, requests for files`, first, 15, ''),
    isMillion
      ? beside(`${name}, CPU`, `${median(cpuMs).toFixed(0)} ms`)
      : atMost(`${name}, CPU`, median(cpuMs), 200, ' ms'),
    atMost(`${name}, p95`, quantile(ms, 0.95), isMillion ? 2000 : 400, ' ms'),
  ];
}

const searchHere = (tenant: Tenant, body: object) =>
  // Only a search by a view asks whose it is.
  search(UnitOfWork.forAnswer(tenant, system), {} as never, 'contact', parse(searchBody({}, 'ContactSearch'), body));

/** Returns how many requests of the bucket some work makes. */
async function requestsOf(work: () => Promise<unknown>): Promise<number> {
  const { host } = new URL(env('AWS_ENDPOINT_URL_S3') as string);
  let requests = 0;
  const count = (message: unknown) => {
    if ((message as { request: ClientRequest }).request.getHeader('host') === host) requests += 1;
  };
  subscribe('http.client.request.start', count);
  await work();
  unsubscribe('http.client.request.start', count);
  return requests;
}

const stage = { field: 'stage', op: 'in', value: ['new', 'qualified'] };
const rare = { field: 'leadScore', op: 'gte', value: 100 };
const bodies: Readonly<Record<string, object>> = {
  'two filters, by name': { filter: { and: [stage, rare] }, sort: [{ field: 'name' }] },
  'all, by two fields, with the count': {
    sort: [{ field: 'leadScore', direction: 'desc' }, { field: 'name' }],
    count: true,
  },
  'q that nobody has': { q: 'xyzzy' },
  'q that one of 1,000 has': { q: 'rare' },
  'updated since yesterday, by time': {
    filter: { field: 'updatedAt', op: 'gte', value: ago(1) },
    sort: [{ field: 'updatedAt' }],
  },
  'ten conditions on ten fields': {
    filter: {
      and: [
        stage,
        { field: 'name', op: 'contains', value: 'e' },
        { field: 'email', op: 'startsWith', value: 'person' },
        { field: 'phone', op: 'isSet' },
        { field: 'username', op: 'contains', value: '9' },
        { field: 'leadScore', op: 'lt', value: 80 },
        { field: 'createdAt', op: 'gte', value: 'today-300d' },
        { field: 'company', op: 'ne', value: 'Nobody' },
        { field: 'tags', op: 'eq', value: 'Many' },
        { field: 'assignedToUserId', op: 'isNotSet' },
      ],
    },
    sort: [{ field: 'email', direction: 'desc' }],
  },
};
