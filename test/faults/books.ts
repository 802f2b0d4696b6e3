import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { entityIn } from '#infra/admin/archive/kinds.ts';
import { isOnMap } from '#infra/table-map.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { entities } from '#lib/entities/all.ts';
import { Companies } from '#lib/entities/company.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals, isClosed } from '#lib/entities/deal.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { Invoices } from '#lib/entities/invoice.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { Tags } from '#lib/entities/tag.ts';
import { Tasks } from '#lib/entities/task.ts';
import { Transactions } from '#lib/entities/transaction.ts';
import type { EventKind } from '#lib/events/kinds.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { countedOf, type Entity, type Item, indexEntries, keyOf } from '#lib/table/entity.ts';
import { identity, type Key } from '#lib/table/keys.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { Sagas } from '#lib/table/saga.ts';
import { scanned } from '#lib/table/scan.ts';
import { isExpired, parseStored } from '#lib/table/stored.ts';

/** What lies in the partitions of a tenant. */
const kinds: readonly Entity[] = [Sagas, ...entities.filter(({ scope }) => scope !== 'workspace')];

/** What does not agree among the rows of a tenant: index entries, rows that name others, and what is counted of them. */
export async function differencesOf(tenant: Tenant): Promise<string[]> {
  const books = new Books(tenant, await scan(`${tenantKey(tenant)}#`));
  await books.indexes();
  books.references();
  books.events();
  books.counts();
  books.counters();
  return books.differences;
}

class Books {
  readonly differences: string[] = [];
  readonly #prefix: string;
  readonly #rows: readonly Row[];
  readonly #items = new Map<Entity, unknown[]>(kinds.map((of) => [of, []]));
  /** Index entries and timers, as they must stand beside the items. */
  readonly #beside = new Map<string, Row>();

  constructor(tenant: Tenant, rows: readonly Row[]) {
    this.#prefix = `${tenantKey(tenant)}#`;
    this.#rows = rows;
    for (const row of rows) {
      this.#check(isOnMap(row), `docs/table.md does not name ${identity(row)}`);
      const partition = this.#nameOf(row);
      const of = partition === Sagas.name ? Sagas : entityIn(partition);
      if (!of || isExpired(row)) continue;
      const item = parseStored(of, row);
      this.#check(
        identity(keyOf(tenant, of, item)) === identity(row),
        `${identity(row)} lies where it does not belong`,
      );
      this.#items.get(of)?.push(item);
      for (const [name, entry] of indexEntries(tenant, of, item)) this.#beside.set(name, entry);
    }
  }

  #nameOf({ pk }: Key): string {
    return pk.slice(this.#prefix.length);
  }

  #all<E extends Entity>(of: E): Item<E>[] {
    return (this.#items.get(of) ?? []) as Item<E>[];
  }

  #fields(of: Entity): Record<string, unknown>[] {
    return this.#all(of) as Record<string, unknown>[];
  }

  #check(holds: boolean, difference: string): void {
    if (!holds) this.differences.push(difference);
  }

  #requireCount(what: string, is: number, ought: number): void {
    this.#check(is === ought, `${what} is ${is} instead of ${ought}`);
  }

  /** Each item has its entries and its timer, and no entry is without its item. */
  async indexes(): Promise<void> {
    const stored = new Map(this.#rows.map((row) => [identity(row), row]));
    const elsewhere = [...this.#beside.values()].filter(({ pk }) => !pk.startsWith(this.#prefix));
    for (const [name, row] of await readRows(elsewhere)) stored.set(name, row);
    for (const [name, expected] of this.#beside) {
      const row = stored.get(name);
      const isSame = row && Object.entries(expected).every(([field, value]) => isDeepStrictEqual(row[field], value));
      this.#check(isSame === true, `${name} is ${row ? 'stale' : 'missing'}`);
    }
    const names = new Set(kinds.map(({ name }) => name));
    for (const row of this.#rows) {
      const [name, index] = this.#nameOf(row).split('?');
      if (index !== undefined && names.has(name as string))
        this.#check(this.#beside.has(identity(row)), `${identity(row)} points at nothing`);
    }
  }

  /** Whatever a row names is there, and is called so. */
  references(): void {
    const sagas = this.#all(Sagas);
    this.#requireCount('the number of sagas that are left', sagas.length, 0);
    const named = new Map(kinds.map((of) => [of.name, new Map(this.#fields(of).map((row) => [row['id'], row]))]));
    for (const of of kinds) {
      for (const { to, field, holds, shows } of of.references ?? []) {
        for (const row of this.#fields(of)) {
          const ids = holds ? holds.ids(row) : [row[field]].flat().filter((id) => id != null);
          this.#check(new Set(ids).size === ids.length, `${of.name} ${row['id']} names a ${to} twice`);
          for (const id of ids) {
            const other = named.get(to)?.get(id);
            this.#check(other !== undefined, `${of.name} ${row['id']} names ${to} ${id}, which is not there`);
            if (shows && other)
              this.#check(row[shows] === other['name'], `${of.name} ${row['id']} calls its ${to} otherwise`);
          }
        }
      }
    }
  }

  /** Each event says what its kind says. */
  events(): void {
    for (const { event, sequence, body } of this.#all(Feed)) {
      const { data } = eventKinds[event as EventKind];
      this.#check(v.is(data, JSON.parse(body).data), `event ${sequence} is not what ${event} says`);
    }
  }

  /** What one row counts of others. */
  counts(): void {
    const isLive = ({ archive }: { archive?: unknown }) => archive === undefined;
    const [contacts, tasks] = [this.#all(Contacts).filter(isLive), this.#all(Tasks).filter(isLive)];
    const transactions = this.#all(Transactions);
    const openDeals = this.#all(Deals).filter((deal) => isLive(deal) && !isClosed(deal.stage));
    for (const { id, name, contactCount, openDealCount } of this.#all(Companies)) {
      const links = contacts.flatMap(({ company, companyLinks = [] }) =>
        companyLinks.map((link) => ({ ...link, company })),
      );
      const own = links.filter(({ companyId }) => companyId === id);
      this.#requireCount(`contactCount of company ${id}`, contactCount, own.length);
      const named = openDeals.filter(({ companyId }) => companyId === id);
      this.#requireCount(`openDealCount of company ${id}`, openDealCount, named.length);
      for (const { isPrimary, company } of own)
        this.#check(!isPrimary || company === name, `a contact calls its company ${id} otherwise`);
    }
    for (const { id, contactCount } of this.#all(Tags)) {
      const holders = contacts.filter(({ tagIds }) => tagIds.includes(id));
      this.#requireCount(`contactCount of tag ${id}`, contactCount, holders.length);
    }
    for (const { id, openTaskCount } of this.#all(Deals)) {
      const open = tasks.filter(({ dealId, status }) => dealId === id && status !== 'done');
      this.#requireCount(`openTaskCount of deal ${id}`, openTaskCount, open.length);
      const booked = transactions.filter(({ dealId }) => dealId === id);
      this.#check(booked.length <= 1, `deal ${id} is booked ${booked.length} times`);
    }
    for (const { id, enrolledCount, activeCount } of this.#all(Sequences)) {
      const own = this.#all(Enrollments).filter(({ sequenceId }) => sequenceId === id);
      const active = own.filter(({ status }) => status === 'active');
      this.#requireCount(`enrolledCount of sequence ${id}`, enrolledCount, own.length);
      this.#requireCount(`activeCount of sequence ${id}`, activeCount, active.length);
    }
    for (const { id, status } of this.#all(Invoices)) {
      const booked = transactions.filter(({ invoiceId }) => invoiceId === id);
      this.#requireCount(`the bookings of ${status} invoice ${id}`, booked.length, status === 'paid' ? 1 : 0);
    }
  }

  /** Every counter that an entity declares, and how many jobs are queued, is what the rows come to. */
  counters(): void {
    const expected = new Sums();
    for (const of of kinds)
      for (const item of this.#all(of))
        for (const { group, name, add } of countedOf(of, item as never)) expected.add(group, name, add);
    for (const { status, channel, accountId } of this.#all(Jobs))
      if (status === 'queued') expected.add('queued', `${channel}/${accountId ?? ''}`, { queued: 1 });
    const stored = new Sums();
    for (const { pk, sk, ...counted } of this.#rows) {
      const [, group = ''] = /^count\/(.+)$/.exec(this.#nameOf({ pk, sk })) ?? [];
      if (isDeclared(group)) stored.add(group, sk.slice(0, sk.lastIndexOf('#')), counted);
    }
    for (const name of new Set([...expected.keys(), ...stored.keys()]))
      this.#requireCount(`counter ${name}`, stored.get(name) ?? 0, expected.get(name) ?? 0);
  }
}

/** By group, name and attribute. */
class Sums extends Map<string, number> {
  add(group: string, name: string, by: Readonly<Record<string, unknown>>): void {
    for (const [attribute, value] of Object.entries(by)) {
      const key = `${group} ${name} ${attribute}`;
      this.set(key, (this.get(key) ?? 0) + Number(value));
    }
  }
}

const declaredGroups = new Set([
  'queued',
  ...kinds.flatMap(({ counters = {} }) =>
    Object.entries(counters).map(([name, { group = name }]) => group.replace(/\/\{.*/, '')),
  ),
]);
const isDeclared = (group: string) => declaredGroups.has(group.replace(/\/.*/, ''));

async function scan(prefix: string): Promise<Row[]> {
  const query = {
    ConsistentRead: true,
    FilterExpression: 'begins_with(pk, :prefix)',
    ExpressionAttributeValues: { ':prefix': prefix },
  };
  const rows: Row[] = [];
  for await (const row of scanned(query)) rows.push(row);
  return rows;
}
