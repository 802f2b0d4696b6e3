import { Contacts, type MergedContact, MergedContacts, type StoredContact } from '#lib/entities/contact.ts';
import { addressKey } from '#lib/mail-address.ts';
import { keyOf } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import { readRow } from '#lib/table/rows.ts';
import { isAbsent } from '#lib/table/stored.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';

/** Nobody is followed through more merges: each costs a read. */
const maxMerges = 100;

/** Itself, and those into whom it was merged, one after the other. Who is told to go round, as an archive may, is told once. */
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

/** Whom a row that names a contact names by now; null where nobody is there, as with an archive that lacks them. */
export const presentId = async (tx: UnitOfWork, id: number | null): Promise<number | null> =>
  id === null ? null : ((await resolveMerged(tx, id))?.id ?? null);

/** The last one that it has been merged into, whether that one is still there or not; itself if nobody. */
export async function mergedInto(tx: UnitOfWork, id: number): Promise<number> {
  let last = id;
  for await (const one of successors(tx, id)) last = one;
  return last;
}

/** So many contacts who are one are looked at. */
const maxContacts = 100;

/** Those who were merged into contacts, and into those, each once, the closest first. */
async function* predecessors(tx: UnitOfWork, ids: readonly number[]): AsyncGenerator<MergedContact> {
  const found = new Set(ids);
  for (let last = [...ids]; last.length > 0 && found.size < maxContacts; ) {
    const pages = last.map((into) => listPage(tx, MergedContacts, { where: { into }, limit: maxContacts }));
    const before = (await Promise.all(pages)).flatMap(({ items }) => items).filter(({ id: one }) => !found.has(one));
    yield* before;
    last = before.map((one) => one.id);
    for (const one of last) found.add(one);
  }
}

/** The contact, the one that it has been merged into, and those who were merged into them: rows of theirs may yet have to follow. */
export async function mergedWith(tx: UnitOfWork, id: number): Promise<number[]> {
  const merged = await resolveMerged(tx, id);
  const found = [...new Set([merged?.id ?? id, id])];
  for await (const one of predecessors(tx, found)) found.push(one.id);
  return found.slice(0, maxContacts);
}

/** Whether an address is a contact's own or was before, or was of somebody who was merged into them: it is still theirs. */
export async function hasAddress(
  tx: UnitOfWork,
  { id, email, earlierEmails = [] }: StoredContact,
  address: string,
): Promise<boolean> {
  const key = addressKey(address);
  if ([email, ...earlierEmails].some((one) => one !== null && addressKey(one) === key)) return true;
  for await (const { traces } of predecessors(tx, [id]))
    if (traces?.email && addressKey(traces.email) === key) return true;
  return false;
}

/** Whether a contact, or the one that it has been merged into meanwhile, is there, whatever its row holds. One read for most. */
export async function isThere(tenant: Tenant, id: number): Promise<boolean> {
  for await (const one of successors(new UnitOfWork(tenant, system), id)) {
    const row = await readRow(keyOf(tenant, Contacts, { id: one }));
    if (row !== undefined && !isAbsent(row)) return true;
  }
  return false;
}
