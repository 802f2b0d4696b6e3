import * as v from 'valibot';
import { dayMs, dayOf, monthOf, secondMs, shifted } from '#lib/core/clock.ts';
import { fromCents, toCents } from '#lib/core/money.ts';
import { Invoices } from '#lib/entities/invoice.ts';
import { groupName, type Transaction, TransactionCopy, Transactions } from '#lib/entities/transaction.ts';
import { readCounters } from '#lib/table/counters.ts';
import { entries } from '#lib/table/entries.ts';
import type { Meter } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Owed = 'invoice' | 'pending';

/** Returns the outstanding amounts by currency, in order of its code. One round trip. */
export async function outstanding(tx: UnitOfWork, kinds: readonly Owed[]) {
  const sums = new Sums();
  for (const [name, { count = 0, cents = 0 }] of await readCounters(tx, Invoices, 'outstanding')) {
    const [kind, currency] = name.split('/') as [Owed, string];
    if (kinds.includes(kind)) sums.add(currency, count, cents);
  }
  return sums.entries().map(([currency, { count, cents }]) => ({ currency, count, total: fromCents(cents, currency) }));
}

/** Fields by which realized transactions are grouped. */
type Group = Pick<Transaction, 'currency' | 'type' | 'category'>;

function groupOf(name: string): Group {
  const [currency, type, ...category] = name.split('/') as [string, Transaction['type'], ...string[]];
  return { currency, type, category: category.join('/') || null };
}

const startOf = (day: string) => `${day}T00:00:00Z`;

/**
 * Sums of the realized transactions of a range, both ends included. One round trip for any range: whole days from the counters of
 * their months, the rest from what the index keeps of each transaction. Not all of them where the meter has stopped:
 * categories are free text, and every day has its counters of each.
 */
export async function sumRealized(tx: UnitOfWork, from: string, to: string, meter: Meter) {
  const sums = new Sums();
  const firstDay = dayOf(from === startOf(dayOf(from)) ? from : shifted(from, dayMs));
  const dayAfter = dayOf(shifted(to, secondMs));
  const edges: [string, string][] =
    firstDay < dayAfter
      ? [
          [from, shifted(startOf(firstDay), -secondMs)],
          [startOf(dayAfter), to],
        ]
      : [[from, to]];
  await Promise.all([
    ...monthsOf(firstDay, dayAfter).map((month) => addDays(tx, sums, month, firstDay, dayAfter, meter)),
    ...edges.filter(([start, end]) => start <= end).map(([start, end]) => addEach(tx, sums, start, end, meter)),
  ]);
  return sums.entries().map(([name, sum]) => ({ ...groupOf(name), ...sum }));
}

/** The months of the days from the first to the one before the last. */
function monthsOf(firstDay: string, dayAfter: string): string[] {
  const months: string[] = [];
  const last = shifted(startOf(dayAfter), -secondMs);
  for (let day = firstDay; day <= last && firstDay < dayAfter; day = shifted(`${monthOf(day)}-01`, 31 * dayMs))
    months.push(monthOf(day));
  return months;
}

async function addDays(
  tx: UnitOfWork,
  sums: Sums,
  month: string,
  firstDay: string,
  dayAfter: string,
  meter: Meter,
): Promise<void> {
  for (const [name, { count = 0, cents = 0 }] of await readCounters(tx, Transactions, 'realized', { month }, meter)) {
    const day = dayOf(name);
    if (day >= firstDay && day < dayAfter) sums.add(name.slice(day.length + 1), count, cents);
  }
}

async function addEach(tx: UnitOfWork, sums: Sums, from: string, to: string, meter: Meter): Promise<void> {
  const range = { ascending: true, above: from, below: `${to}#~`, meter };
  for await (const page of entries(tx, Transactions, { realized: true }, range)) {
    for (const entry of page) {
      const copy = v.parse(TransactionCopy, entry);
      sums.add(groupName(copy), 1, toCents(copy.amount, copy.currency));
    }
  }
}

/** Counts and cents by name. */
class Sums {
  #sums = new Map<string, { count: number; cents: number }>();

  add(name: string, count: number, cents: number): void {
    const sum = this.#sums.get(name) ?? { count: 0, cents: 0 };
    this.#sums.set(name, { count: sum.count + count, cents: sum.cents + cents });
  }

  /** Returns the sums that are not empty, in order of name. */
  entries() {
    return [...this.#sums].filter(([, { count }]) => count !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  }
}
