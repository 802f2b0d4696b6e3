import { join } from 'node:path';
import { mintKey } from '#lib/auth/key-store.ts';
import { chunks, inParallel } from '#lib/core/async.ts';
import { dayMs, shifted, timestamp } from '#lib/core/clock.ts';
import { scopes } from '#lib/core/scopes.ts';
import { operator, system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { Messages } from '#lib/entities/message.ts';
import { Tasks } from '#lib/entities/task.ts';
import { Transactions } from '#lib/entities/transaction.ts';
import { type Entity, type Item, keyOf } from '#lib/table/entity.ts';
import { rowKey } from '#lib/table/keys.ts';
import { putRows, type Row } from '#lib/table/rows.ts';
import { rowChanges, type Tracked } from '#lib/table/stored.ts';
import { Sums } from '#lib/table/sums.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addTo } from '#lib/table/write.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { demoClient } from '#test/bench/demo.ts';
import type { Meter } from '#test/bench/meter.ts';
import { startMetered } from '#test/bench/metered.ts';
import { beside, type Line, median } from '#test/bench/report.ts';
import { api, type Client } from '#test/client.ts';
import { readEnvironment } from '#test/system.ts';

/** `GROWTH=1000,10000,100000` asks for more; the last takes some minutes and some gigabytes. */
const sizes = (process.env['GROWTH'] ?? '1000,10000').split(',').map(Number);
const repeats = 3;
const loadedTogether = 20;
const plenty = 1_000_000;
/** So many of the newest of ten thousand are looked for by what is rare. */
const rareOf = 1000;

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

interface Templates {
  contact: Item<typeof Contacts>;
  deal: Item<typeof Deals>;
  task: Item<typeof Tasks>;
  transaction: Item<typeof Transactions>;
  message: Item<typeof Messages>;
}

/** One row of each, as the demo has it. */
async function templatesOf(demo: Client): Promise<Templates> {
  const { id: workspaceId } = (await demo.get('/v1/me')).body;
  const tx = new UnitOfWork({ workspaceId, env: 'live' }, system);
  const first = async (path: string) => (await demo.get(path)).body.items[0];
  const { id: messageId, contactId } = await first('/v1/messages?direction=inbound&limit=1');
  const [contact, deal, task, transaction, message] = await Promise.all([
    tx.get(Contacts, { id: contactId }),
    tx.get(Deals, { id: (await first('/v1/deals')).id }),
    tx.get(Tasks, { id: (await first('/v1/tasks')).id }),
    tx.get(Transactions, { id: (await first('/v1/finance/transactions')).id }),
    tx.get(Messages, { contactId, id: messageId }),
  ]);
  return { contact, deal, task, transaction, message };
}

async function measuredAt(size: number, templates: Templates, baseUrl: string, meter: Meter) {
  const { id: workspaceId } = await createWorkspace({ name: `Of ${size}`, currency: 'EUR' });
  const tenant: Tenant = { workspaceId, env: 'live' };
  const { key } = await transact(tenant, operator, (tx) =>
    mintKey(
      tx,
      { name: 'growth', scopes, ipAllowlist: [], expiresAt: null },
      { createdByKeyId: null, rateLimitPerMinute: plenty },
    ),
  );
  const client = api(key, { baseUrl });
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

const ago = (days: number) => shifted(timestamp(), -days * dayMs);

/** Everything is spread over a year, the newest with the highest id. */
async function load(tenant: Tenant, size: number, tagId: number, templates: Templates): Promise<void> {
  const at = (index: number) => ago((365 * (size - index)) / size);
  const isRare = (index: number) => index % rareOf === 0;
  const stages = ['contacted', 'qualified', 'new'] as const;
  await create(tenant, Contacts, size, (id) => ({
    ...templates.contact,
    id,
    name: isRare(id) ? `Rare ${id}` : `Person ${id}`,
    username: `person_${id}`,
    phone: `+49 30 ${1_000_000 + id}`,
    email: `person-${id}@example.com`,
    stage: stages[id % 3] as (typeof stages)[number],
    leadScore: isRare(id) ? 100 : id % 90,
    assignedToUserId: null,
    hasUnreadMessages: isRare(id),
    createdAt: at(id),
    updatedAt: isRare(id) ? ago(0) : at(id),
    tagIds: [tagId],
    metadata: {},
    identities: { telegram: id },
    reach: [],
  }));
  await create(tenant, Deals, size, (id) => ({
    ...templates.deal,
    id,
    title: isRare(id) ? `Rare ${id}` : `Deal ${id}`,
    contactId: id,
    contactName: `Person ${id}`,
    value: isRare(id) ? 1_000_000 : id,
    stage: id % 2 === 0 ? ('won' as const) : ('lead' as const),
    closedAt: id % 2 === 0 ? at(id) : null,
    createdAt: at(id),
    updatedAt: null,
    wonTransactionId: null,
    assignedToUserId: null,
    metadata: {},
  }));
  await create(tenant, Tasks, size, (id) => ({
    ...templates.task,
    id,
    title: isRare(id) ? `Rare ${id}` : `Task ${id}`,
    contactId: id,
    // The first deal has all of them.
    dealId: 1,
    status: id % 2 === 0 ? ('done' as const) : ('open' as const),
    completedAt: id % 2 === 0 ? at(id) : null,
    dueAt: isRare(id + 1) ? ago(1) : ago(-30),
    assignedToUserId: null,
    createdAt: at(id),
    updatedAt: null,
    metadata: {},
  }));
  await create(tenant, Transactions, size, (id) => ({
    ...templates.transaction,
    id,
    contactId: id,
    dealId: null,
    invoiceId: null,
    revenueSourceId: null,
    status: 'realized' as const,
    occurredAt: at(id),
    createdAt: at(id),
  }));
  // The first contact has written all of them.
  await create(tenant, Messages, size, (id) => ({
    ...templates.message,
    id,
    contactId: 1,
    jobId: null,
    isRead: true,
    atPlatform: null,
    attachments: [],
    sentAt: at(id),
    createdAt: at(id),
  }));
}

/** Rows with their index entries and counters, without events: written in bulk, as the table would have them. */
async function create<E extends Entity>(tenant: Tenant, of: E, size: number, made: (id: number) => Item<E>) {
  const ids = Array.from({ length: size }, (_, index) => index + 1);
  const sums = new Sums();
  await inParallel(chunks(ids, loadedTogether), 2, async (some) => {
    const rows = some.flatMap((id): Row[] => {
      const after = made(id);
      const tracked: Tracked = {
        entity: of,
        key: keyOf(tenant, of, after),
        before: undefined,
        after: { ...(after as object) },
        isNewKey: true,
      };
      sums.addChange(tenant, tracked);
      return rowChanges(tenant, tracked).map(({ key, item }) => ({ ...item, ...key }));
    });
    await putRows(rows);
  });
  for (const { key, add = {} } of sums.changes()) await addTo(key, add);
  await addTo(rowKey('ids', { scope: tenantKey(tenant) }), { [of.name]: size });
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
