import type * as v from 'valibot';
import { Contacts, type DuplicateQuery, type normalize, type StoredContact, sameAs } from '#lib/entities/contact.ts';
import { sameHandle } from '#lib/entities/references/namesakes.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getStoredContact } from './read.ts';

/** The contacts that share username and platform, phone or e-mail with this one, however they are spelled. Raises 404. */
export async function listDuplicates(
  tx: UnitOfWork,
  id: number,
  { after, limit }: v.InferOutput<typeof DuplicateQuery>,
): Promise<Page<StoredContact>> {
  const contact = await getStoredContact(tx, id);
  // Reads as many contacts with the same value as can be shown, and one more for the contact itself.
  const sharing = async (field: keyof typeof normalize): Promise<Page<StoredContact>> => {
    const value = contact[field];
    if (value === null) return { items: [], nextCursor: null, hasMore: false };
    const where = field === 'username' ? sameHandle(contact.platform, value) : sameAs(field, value);
    return listPage(tx, Contacts, { after, limit: limit + 1, where });
  };
  const pages = await Promise.all([sharing('username'), sharing('phone'), sharing('email')]);
  const others = new Map(pages.flatMap(({ items }) => items.map((other) => [other.id, other])));
  others.delete(id);
  const found = [...others.values()].sort((a, b) => b.id - a.id);
  // Below where one of the pages ends there may be others that it has not come to.
  const floor = Math.max(0, ...pages.map(({ nextCursor }) => nextCursor ?? 0));
  const items = found.filter((other) => other.id >= floor).slice(0, limit);
  const hasMore = found.length > items.length || floor > 0;
  const last = items.length === limit ? items.at(-1) : undefined;
  return { items, nextCursor: hasMore ? (last?.id ?? floor) : null, hasMore };
}
