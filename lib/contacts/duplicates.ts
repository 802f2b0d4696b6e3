import type * as v from 'valibot';
import { Contacts, type DuplicateQuery, type StoredContact } from '#lib/entities/contact.ts';
import { addressesOf } from '#lib/entities/contact-address.ts';
import { sameHandle } from '#lib/entities/references/namesakes.ts';
import type { Where } from '#lib/table/entity.ts';
import { listPage, type Page, unitePages } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Lookup, lookupsOf } from './lookup.ts';
import { getStoredContact } from './read.ts';

/** Returns the contacts that share username and platform, or an address, with this one, however they are spelled. Raises 404. */
export async function listDuplicates(
  tx: UnitOfWork,
  id: number,
  { after, limit }: v.InferOutput<typeof DuplicateQuery>,
): Promise<Page<StoredContact>> {
  const contact = await getStoredContact(tx, id);
  const { platform, username } = contact;
  const lookups = await lookupsOf(tx, addressesOf(contact));
  // Reads as many contacts with the same value as can be shown, and one more for the contact itself.
  const list = async (where: Where<typeof Contacts>, isMatch: Lookup['matches'] = () => true) => {
    const page = await listPage(tx, Contacts, { where, after, limit: limit + 1 });
    return { ...page, items: page.items.filter(isMatch) };
  };
  const pages = await Promise.all([
    ...(username === null ? [] : [list(sameHandle(platform, username))]),
    ...lookups.map(({ where, matches }) => list(where, matches)),
  ]);
  return unitePages(pages, id, limit);
}
