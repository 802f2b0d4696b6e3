import * as v from 'valibot';
import { expandCompanies } from '#lib/contacts/company-read.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { withTags } from '#lib/contacts/read.ts';
import { listTags } from '#lib/contacts/tags.ts';
import type { ExportObject } from '#lib/core/choices.ts';
import { type Expand, expanded, withIncluded } from '#lib/core/include.ts';
import { Metadata } from '#lib/core/metadata.ts';
import type { Actor, Tenant } from '#lib/core/tenant.ts';
import { expandDeals, expandTasks } from '#lib/deals/include.ts';
import { Activities, Activity } from '#lib/entities/activity.ts';
import { Companies, Company, CompanyActivities } from '#lib/entities/company.ts';
import { Contacts, ContactWithTags } from '#lib/entities/contact.ts';
import { Deal, Deals, toDealView } from '#lib/entities/deal.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { Invoice, Invoices } from '#lib/entities/invoice.ts';
import { Message, Messages } from '#lib/entities/message.ts';
import { Task, Tasks, toTaskView } from '#lib/entities/task.ts';
import { FinanceTransaction, Transactions } from '#lib/entities/transaction.ts';
import { AnyEvent } from '#lib/publishing/feed/list.ts';
import { untilPublished } from '#lib/publishing/feed/published.ts';
import type { Shown } from '#lib/sheets/columns.ts';
import { type ArchivedFilter, type Entity, entityPartition, type Item } from '#lib/table/entity.ts';
import { type Listing, listPage } from '#lib/table/list.ts';
import { newMeter, pages } from '#lib/table/pages.ts';
import { bytesOf } from '#lib/table/size.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Records that are read, and the scopes by which they are. */
export interface Reading {
  tenant: Tenant;
  actor: Actor;
  scopes: readonly string[];
  archived: ArchivedFilter;
  /** Whether a row is wanted: as it is stored where its object has custom fields, else as answers show it. */
  matches(row: never): boolean;
}

/** Pages of records as answers show them. Empty ones say that the reading goes on. */
type Pages = AsyncGenerator<Shown[]>;

const rowsPerPage = 500;

/** Pages of the rows of an entity, empty ones too, each read by a unit of work of its own, which is then forgotten. */
async function* rowsOf<E extends Entity>(
  { tenant, actor }: Reading,
  of: E,
  listing: Omit<Listing<E>, 'after' | 'limit'>,
): AsyncGenerator<{ tx: UnitOfWork; items: Item<E>[] }> {
  let after: number | undefined;
  do {
    const tx = UnitOfWork.forAnswer(tenant, actor);
    const page = await listPage(tx, of, {
      ...listing,
      after,
      limit: rowsPerPage,
      shownBytes: (item) => bytesOf(item as object),
    });
    yield { tx, items: page.items };
    after = page.nextCursor ?? undefined;
  } while (after !== undefined);
}

/** Parts of a source of records with custom fields. */
interface Records<E extends Entity> {
  of: E;
  schema: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** Members that `include` adds. */
  members: readonly string[];
  expand: Expand<UnitOfWork, never>;
  view(tx: UnitOfWork, rows: Item<E>[]): object[] | Promise<object[]>;
}

const recordsOf = <E extends Entity>({ of, schema, members, expand, view }: Records<E>) =>
  async function* (reading: Reading): Pages {
    const { archived, matches } = reading;
    for await (const { tx, items } of rowsOf(reading, of, { archived, matches: matches as never })) {
      const rows = await expanded(tx, expand, { items: await view(tx, items) }, members);
      const answer = withIncluded(v.parse(v.object({ items: v.array(schema) }), rows), rows, members);
      yield answer.items.map((record, index) => ({
        ...record,
        metadata: v.parse(Metadata, (items[index] as { metadata: Record<string, string> }).metadata),
      }));
    }
  };

/** Parts of a source of other records. */
interface Others<E extends Entity> {
  of: E;
  schema: v.GenericSchema<unknown, object>;
  where?: NonNullable<Listing<E>['where']>;
}

const othersOf = <E extends Entity>({ of, schema, where }: Others<E>) =>
  async function* (reading: Reading): Pages {
    for await (const { items } of rowsOf(reading, of, where ? { where } : {}))
      yield wanted(
        reading,
        items.map((item) => v.parse(schema, item) as Shown),
      );
  };

const wanted = ({ matches }: Reading, records: Shown[]): Shown[] => records.filter(matches as never);

const isNote = ({ type }: { type: string }) => type === 'Note';

async function* readNotes(reading: Reading): Pages {
  const ofContacts = { where: { all: true as const }, contains: { all: 'Note' }, matches: isNote };
  for await (const { items } of rowsOf(reading, Activities, ofContacts))
    yield wanted(
      reading,
      items.map((item) => noteOf(v.parse(Activity, item), { contactId: item.contactId })),
    );
  if (!reading.scopes.includes('companies:read')) return;
  for await (const { items: all } of rowsOf(reading, Companies, { archived: 'all' })) {
    for (const { id: companyId, name: company } of all) {
      const within = { companyId };
      for await (const { items } of rowsOf(reading, CompanyActivities, { within, matches: isNote }))
        yield wanted(
          reading,
          items.map((item) => noteOf(item, { companyId, company })),
        );
    }
  }
}

type Entry = Pick<
  v.InferOutput<typeof Activity>,
  'id' | 'text' | 'actorType' | 'actorUserId' | 'actorKeyId' | 'createdAt'
>;

const noteOf = (
  { id, text, actorType, actorUserId, actorKeyId, createdAt }: Entry,
  of: { contactId: number } | { companyId: number; company: string },
): Shown => ({
  id,
  contactId: null,
  companyId: null,
  company: null,
  ...of,
  ...{ text, actorType, actorUserId, actorKeyId, createdAt },
});

async function* readEvents(reading: Reading): Pages {
  const { tenant, actor } = reading;
  await untilPublished(tenant, newMeter());
  for await (const page of pages({ pk: entityPartition(tenant, Feed), ascending: true, limit: rowsPerPage })) {
    const tx = UnitOfWork.forAnswer(tenant, actor);
    const events = page.flatMap((stored) => tx.rememberIf(Feed, stored, () => true, true));
    yield wanted(
      reading,
      events.map(({ body }) => v.parse(AnyEvent, JSON.parse(body))),
    );
  }
}

const readers: Readonly<Record<ExportObject, (reading: Reading) => Pages>> = {
  contacts: recordsOf({
    of: Contacts,
    schema: ContactWithTags,
    members: ['updatedAt', 'fields', 'companies', 'addresses', 'archive'],
    expand: expandContacts,
    async view(tx, rows) {
      const dictionary = await listTags(tx, { with: rows.flatMap(({ tagIds }) => tagIds) });
      return rows.map((row) => withTags(row, dictionary));
    },
  }),
  companies: recordsOf({
    of: Companies,
    schema: Company,
    members: ['fields', 'archive'],
    expand: expandCompanies,
    view: (_, rows) => rows,
  }),
  deals: recordsOf({
    of: Deals,
    schema: Deal,
    members: ['fields', 'company', 'owner', 'pipeline', 'archive'],
    expand: expandDeals,
    view: (_, rows) => rows.map(toDealView),
  }),
  tasks: recordsOf({
    of: Tasks,
    schema: Task,
    members: ['fields', 'archive'],
    expand: expandTasks,
    view: (tx, rows) => rows.map((row) => toTaskView(row, tx.now)),
  }),
  notes: readNotes,
  messages: othersOf({ of: Messages, schema: Message, where: { all: true } }),
  transactions: othersOf({ of: Transactions, schema: FinanceTransaction }),
  invoices: othersOf({ of: Invoices, schema: Invoice }),
  events: readEvents,
};

/** Returns pages of all records of an object that are wanted, as answers show them. */
export const recordsFor = (object: ExportObject, reading: Reading): Pages => readers[object](reading);
