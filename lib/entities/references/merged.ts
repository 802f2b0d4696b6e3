import { inParallel } from '#lib/core/async.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Contacts, MergedContacts, type StoredContact } from '#lib/entities/contact.ts';
import { keyOf } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import { readRow } from '#lib/table/rows.ts';
import { isExpired } from '#lib/table/stored.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Nobody is followed through more merges: each costs a read. */
const maxMerges = 100;

/** Itself, and those into whom it was merged, one after the other. One that leads round, as an archive may say, ends there. */
async function* successors(tx: UnitOfWork, id: number, max = maxMerges): AsyncGenerator<number> {
  const met = new Set<number>();
  for (let at: number | undefined = id; at !== undefined && !met.has(at) && met.size <= max; ) {
    yield at;
    met.add(at);
    const merged: { into: number } | undefined = await tx.find(MergedContacts, { id: at });
    at = merged?.into;
  }
}

/** The contact, or the one that it has been merged into meanwhile, through a hundred merges at most. */
export async function resolveMerged(
  tx: UnitOfWork,
  id: number,
  max: number = maxMerges,
): Promise<StoredContact | undefined> {
  for await (const one of successors(tx, id, max)) {
    const contact = await tx.find(Contacts, { id: one });
    if (contact) return contact;
  }
  return undefined;
}

/** Returns the contact that a row names by now; null if there is none, as in an archive without it. */
export const presentId = async (tx: UnitOfWork, id: number | null): Promise<number | null> =>
  id === null ? null : ((await resolveMerged(tx, id))?.id ?? null);

/** The last one that it has been merged into, whether that one is still there or not; itself if nobody. */
export async function mergedInto(tx: UnitOfWork, id: number): Promise<number> {
  let last = id;
  for await (const one of successors(tx, id)) last = one;
  return last;
}

/** Number of contacts merged into one that are read. */
const maxContacts = 100;

/** Lists of them that are read side by side, each of as many rows: a contact of many merges is to cost a worker little. */
const sideBySide = 4;

/** The contact, the one that it has been merged into, and those who were merged into them, the closest first: rows of theirs may yet have to follow. */
export async function mergedWith(tx: UnitOfWork, id: number): Promise<number[]> {
  const merged = await resolveMerged(tx, id);
  const found = new Set([merged?.id ?? id, id]);
  for (let last = [...found]; last.length > 0 && found.size < maxContacts; ) {
    const before: number[] = [];
    await inParallel(last, sideBySide, async (into) => {
      const limit = maxContacts - found.size;
      if (limit <= 0) return;
      const { items } = await listPage(tx, MergedContacts, { where: { into }, limit });
      for (const { id: one } of items) if (found.size < found.add(one).size) before.push(one);
    });
    last = before;
  }
  return [...found].slice(0, maxContacts);
}

/** Whether a contact, or the one that it has been merged into meanwhile, is there and not archived. One read for most. */
export async function isThere(tenant: Tenant, id: number): Promise<boolean> {
  for await (const one of successors(new UnitOfWork(tenant, system), id)) {
    const row = await readRow(keyOf(tenant, Contacts, { id: one }));
    if (row !== undefined && !isExpired(row)) return row['archive'] === undefined;
  }
  return false;
}
