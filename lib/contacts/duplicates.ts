import type * as v from 'valibot';
import { Contacts, type DuplicateQuery, type normalize, type StoredContact, sameAs } from '#lib/entities/contact.ts';
import { sameHandle } from '#lib/entities/references/namesakes.ts';
import { listPage, type Page, unitePages } from '#lib/table/list.ts';
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
  return unitePages(pages, id, limit);
}
