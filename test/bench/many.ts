import { mintKey } from '#lib/auth/key-store.ts';
import { chunks, inParallel } from '#lib/core/async.ts';
import { dayMs, shifted, timestamp } from '#lib/core/clock.ts';
import { scopes } from '#lib/core/scopes.ts';
import { operator, system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Companies } from '#lib/entities/company.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Messages } from '#lib/entities/message.ts';
import { Tasks } from '#lib/entities/task.ts';
import { Transactions } from '#lib/entities/transaction.ts';
import { type Entity, type Item, keyOf } from '#lib/table/entity.ts';
import { rowKey } from '#lib/table/keys.ts';
import { putRows, type Row } from '#lib/table/rows.ts';
import { freshRows, type Tracked } from '#lib/table/stored.ts';
import { Sums } from '#lib/table/sums.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addTo } from '#lib/table/write.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { api, type Client } from '#test/client.ts';

const loadedTogether = 20;
const rowsTogether = 100;
const plenty = 1_000_000;
/** So many of the newest of ten thousand are looked for by what is rare. */
const rareOf = 1000;

/** Makes a workspace of a name; its client has a key with all scopes. */
export async function newWorkspace(name: string, baseUrl: string): Promise<{ tenant: Tenant; client: Client }> {
  const { id: workspaceId } = await createWorkspace({ name, currency: 'EUR' });
  const tenant: Tenant = { workspaceId, env: 'live' };
  const { key } = await transact(tenant, operator, (tx) =>
    mintKey(
      tx,
      { name: 'growth', scopes, ipAllowlist: [], expiresAt: null },
      { createdByKeyId: null, rateLimitPerMinute: plenty },
    ),
  );
  return { tenant, client: api(key, { baseUrl }) };
}

export interface Templates {
  contact: Item<typeof Contacts>;
  company: Item<typeof Companies>;
  thread: Item<typeof Threads>;
  deal: Item<typeof Deals>;
  task: Item<typeof Tasks>;
  transaction: Item<typeof Transactions>;
  message: Item<typeof Messages>;
}

/** One row of each, as the demo has it. */
export async function templatesOf(demo: Client): Promise<Templates> {
  const { id: workspaceId } = (await demo.get('/v1/me')).body;
  const tx = new UnitOfWork({ workspaceId, env: 'live' }, system);
  const first = async (path: string) => (await demo.get(path)).body.items[0];
  const { id: messageId, contactId } = await first('/v1/messages?direction=inbound&limit=1');
  const [contact, company, thread, deal, task, transaction, message] = await Promise.all([
    tx.get(Contacts, { id: contactId }),
    tx.get(Companies, { id: (await first('/v1/companies')).id }),
    tx.get(Threads, { id: (await first('/v1/email/threads')).id }),
    tx.get(Deals, { id: (await first('/v1/deals')).id }),
    tx.get(Tasks, { id: (await first('/v1/tasks')).id }),
    tx.get(Transactions, { id: (await first('/v1/finance/transactions')).id }),
    tx.get(Messages, { contactId, id: messageId }),
  ]);
  return { contact, company, thread, deal, task, transaction, message };
}

/** Returns the time so many days ago. */
export const ago = (days: number) => shifted(timestamp(), -days * dayMs);

interface Many<E extends Entity> {
  of: E;
  made(id: number): Item<E>;
}
const many = <E extends Entity>(of: E, made: (id: number) => Item<E>): Many<Entity> => ({ of, made }) as never;

/** Returns what so many of each are. Everything is spread over a year, the newest with the highest id. */
export function manyOf(size: number, tagId: number, templates: Templates) {
  const at = (index: number) => ago((365 * (size - index)) / size);
  const isRare = (index: number) => index % rareOf === 0;
  const stages = ['contacted', 'qualified', 'new'] as const;
  return {
    contacts: many(Contacts, (id) => ({
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
    })),
    deals: many(Deals, (id) => ({
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
    })),
    tasks: many(Tasks, (id) => ({
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
    })),
    transactions: many(Transactions, (id) => ({
      ...templates.transaction,
      id,
      contactId: id,
      dealId: null,
      invoiceId: null,
      revenueSourceId: null,
      status: 'realized' as const,
      occurredAt: at(id),
      createdAt: at(id),
    })),
    // The first contact has written all of them.
    messages: many(Messages, (id) => ({
      ...templates.message,
      id,
      contactId: 1,
      jobId: null,
      isRead: true,
      atPlatform: null,
      attachments: [],
      sentAt: at(id),
      createdAt: at(id),
    })),
    companies: many(Companies, (id) => ({
      ...templates.company,
      id,
      name: isRare(id) ? `Rare ${id}` : `Company ${id}`,
      domains: [`company-${id}.example`],
      createdAt: at(id),
      updatedAt: null,
      metadata: {},
    })),
    threads: many(Threads, (id) => ({
      ...templates.thread,
      id,
      subject: isRare(id) ? `Rare ${id}` : `Subject ${id}`,
      contactId: null,
      createdAt: at(id),
      lastMessageAt: at(id),
    })),
  };
}

/** Writes what `growth` reads: rows with their index entries and counters, without events, as the table would have them. */
export async function load(tenant: Tenant, size: number, tagId: number, templates: Templates): Promise<void> {
  const { contacts, deals, tasks, transactions, messages } = manyOf(size, tagId, templates);
  for (const { of, made } of [contacts, deals, tasks, transactions, messages]) await create(tenant, of, size, made);
}

async function create<E extends Entity>(tenant: Tenant, of: E, size: number, made: (id: number) => Item<E>) {
  const sums = new Sums();
  await putMany(tenant, of, size, loadedTogether, (id) => {
    const after = made(id);
    const tracked: Tracked = {
      entity: of,
      key: keyOf(tenant, of, after),
      before: undefined,
      after: { ...(after as object) },
      isNewKey: true,
    };
    sums.addChange(tenant, tracked);
    return freshRows(tenant, of, after);
  });
  for (const { key, add = {} } of sums.changes()) await addTo(key, add);
}

/** Writes rows without index entries, which no search asks. */
export const writeRows = (tenant: Tenant, { of, made }: Many<Entity>, size: number): Promise<void> =>
  putMany(tenant, of, size, rowsTogether, (id) => freshRows(tenant, of, made(id)).slice(0, 1));

/** Writes what the ids up to a size stand for, so many ids together, and takes these ids. */
async function putMany(tenant: Tenant, of: Entity, size: number, together: number, rowsOf: (id: number) => Row[]) {
  const ids = Array.from({ length: size }, (_, index) => index + 1);
  await inParallel(chunks(ids, together), 2, (some) => putRows(some.flatMap(rowsOf)));
  await addTo(rowKey('ids', { scope: tenantKey(tenant) }), { [of.name]: size });
}
