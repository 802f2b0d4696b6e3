import { join } from 'node:path';
import { demoClient } from '#test/bench/demo.ts';
import { ago, load, newWorkspace, type Templates, templatesOf } from '#test/bench/many.ts';
import type { Meter } from '#test/bench/meter.ts';
import { startMetered } from '#test/bench/metered.ts';
import { beside, type Line, median } from '#test/bench/report.ts';
import type { Client } from '#test/client.ts';
import { readEnvironment } from '#test/system.ts';

/** `GROWTH=1000,10000,100000` asks for more; the last takes some minutes and some gigabytes. */
const sizes = (process.env['GROWTH'] ?? '1000,10000').split(',').map(Number);
const repeats = 3;

/**
 * Read units, calls and milliseconds of lists, filters and analyses where a workspace has so many contacts, deals, tasks, bookings and
 * messages of one contact: what does not grow costs as much in every column.
 */
export async function growth(workDir: string): Promise<Line[]> {
  await using metered = await startMetered(join(workDir, 'growth'));
  const { dataDir, meter, baseUrl } = metered;
  Object.assign(process.env, await readEnvironment(dataDir));
  const templates = await templatesOf(await demoClient(dataDir, baseUrl));
  const columns: Map<string, string>[] = [];
  for (const size of sizes) columns.push(await measuredAt(size, templates, baseUrl, meter));
  const head = sizes.map((size) => size.toLocaleString('en')).join(' | ');
  const names = [...(columns[0]?.keys() ?? [])];
  return [
    beside('growth: read units / calls / ms, with so many of each', head),
    ...names.map((name) => beside(`growth: ${name}`, columns.map((column) => column.get(name) ?? '').join(' | '))),
  ];
}

async function measuredAt(size: number, templates: Templates, baseUrl: string, meter: Meter) {
  const { tenant, client } = await newWorkspace(`Of ${size}`, baseUrl);
  const { id: tagId } = (await client.post('/v1/tags', { name: 'Many' })).body;
  await load(tenant, size, tagId, templates);
  const found = new Map<string, string>();
  for (const [name, path] of Object.entries(pathsOf(size, tagId))) found.set(name, await costOf(client, path, meter));
  return found;
}

async function costOf(client: Client, path: string, meter: Meter): Promise<string> {
  const costs: { readUnits: number; calls: number; ms: number }[] = [];
  for (let index = 0; index <= repeats; index += 1) {
    meter.take();
    const startedMs = performance.now();
    const { status, body } = await client.get(path);
    const ms = performance.now() - startedMs;
    if (status !== 200) return `${status} ${body.details?.reason ?? body.error}`;
    // The first one may be the first call of its function.
    if (index > 0) costs.push({ ...meter.take(), ms });
  }
  const of = (field: 'readUnits' | 'calls' | 'ms') => Math.round(median(costs.map((cost) => cost[field])));
  return `${of('readUnits')} / ${of('calls')} / ${of('ms')}`;
}

function pathsOf(size: number, tagId: number): Record<string, string> {
  const year = `from=${ago(364)}&to=${ago(0)}`;
  const yesterday = ago(1);
  return {
    'a contact': `/v1/contacts/${size}`,
    'contacts, 25': '/v1/contacts?limit=25',
    'contacts, an old page': `/v1/contacts?limit=25&after=${Math.ceil(size / 2)}`,
    'contacts of a stage': '/v1/contacts?limit=25&stage=new',
    'contacts of a stage and a tag': `/v1/contacts?limit=25&stage=new&tagId=${tagId}`,
    'contacts with a tag that all have': `/v1/contacts?limit=25&tagId=${tagId}`,
    'contacts, minScore that one of 1,000 has': '/v1/contacts?limit=25&minScore=100',
    'contacts, minScore that most have': '/v1/contacts?limit=25&minScore=5',
    'contacts, updatedSince yesterday, one of 1,000': `/v1/contacts?limit=25&updatedSince=${yesterday}`,
    'contacts, createdSince yesterday': `/v1/contacts?limit=25&createdSince=${yesterday}`,
    'contacts with something unread, one of 1,000': '/v1/contacts?limit=25&hasUnread=true',
    'contacts with nothing unread': '/v1/contacts?limit=25&hasUnread=false',
    'contacts by e-mail': '/v1/contacts?email=person-7@example.com',
    'contacts, q that one of 1,000 has': '/v1/contacts?limit=25&q=rare',
    'contacts, q that all have': '/v1/contacts?limit=25&q=person',
    'contacts, q that nobody has': '/v1/contacts?limit=25&q=xyzzy',
    'duplicates of a contact': '/v1/contacts/7/duplicates',
    'messages of a contact who has all': '/v1/contacts/1/messages?limit=25',
    'messages of all contacts': '/v1/messages?limit=25',
    'messages sent, none of all': '/v1/messages?limit=25&direction=outbound',
    'deals of a stage': '/v1/deals?limit=25&stage=won',
    'deals, minValue that one of 1,000 has': '/v1/deals?limit=25&minValue=1000000',
    'deals of a contact': '/v1/deals?limit=25&contactId=7',
    'a deal with all tasks': '/v1/deals/1',
    'tasks of a deal that has all': '/v1/tasks?limit=25&dealId=1',
    'tasks that are overdue, one of 1,000': '/v1/tasks?limit=25&overdue=true',
    'tasks due before today, one of 1,000': `/v1/tasks?limit=25&dueBefore=${ago(0)}`,
    'tags with their counts': '/v1/tags',
    'columns of a pipeline with their counts': '/v1/pipelines/1/columns',
    'dashboard of 30 days': '/v1/analytics/dashboard',
    'dashboard of a year': `/v1/analytics/dashboard?${year}`,
    'messaging of a year by month': `/v1/analytics/messaging?${year}&groupBy=month`,
    'finance of a year': `/v1/finance/summary?${year}`,
    'bookings of a year, 25': `/v1/finance/transactions?limit=25&${year}`,
  };
}
