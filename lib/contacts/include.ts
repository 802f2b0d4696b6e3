import type * as v from 'valibot';
import type { Expand } from '#lib/core/include.ts';
import { includesArchive } from '#lib/entities/archive.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import { addressesOf, type ContactAddress } from '#lib/entities/contact-address.ts';
import { SuppressedAddresses, suppressedKey } from '#lib/entities/suppression.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { includesFields } from '#lib/workspaces/fields.ts';
import { normalForm } from './lookup.ts';
import { getStoredContact, tagsOf } from './read.ts';
import { shownCompanies } from './shown-companies.ts';
import { listTags } from './tags.ts';

export type ShownAddress = v.InferOutput<typeof ContactAddress>;

/** Returns the addresses of contacts as answers show them, primary ones first; one read for all of them. */
export async function shownAddresses(tx: UnitOfWork, contacts: readonly StoredContact[]): Promise<ShownAddress[][]> {
  const all = contacts.map(addressesOf);
  const emails = all.flat().flatMap(({ kind, value }) => (kind === 'email' ? [suppressedKey(value)] : []));
  const keys = [...new Map(emails.map((key) => [key.address, key])).values()];
  const [normal, suppressed] = await Promise.all([normalForm(tx), tx.findAll(SuppressedAddresses, keys)]);
  const bounces = new Map(suppressed.map(({ address, bouncedAt }) => [address, bouncedAt]));
  return contacts.map((contact, index) =>
    (all[index] ?? [])
      .map(({ id, kind, value, label, createdAt }) => ({
        id,
        kind,
        value,
        normalized: normal(kind, value),
        label,
        isPrimary: contact[kind] === value,
        bouncedAt: (kind === 'email' && bounces.get(suppressedKey(value).address)) || null,
        createdAt,
      }))
      .sort((a, b) => Number(b.isPrimary) - Number(a.isPrimary) || a.id - b.id),
  );
}

/** Returns the addresses of a contact, primary ones first. Raises 404. */
export async function listAddresses(tx: UnitOfWork, contactId: number): Promise<{ items: ShownAddress[] }> {
  const [items = []] = await shownAddresses(tx, [await getStoredContact(tx, contactId)]);
  return { items };
}

/** Adds to contacts what `include` asks for. */
export const expandContacts: Expand<UnitOfWork, StoredContact> = {
  ...includesFields('contact'),
  ...includesArchive,
  companies: shownCompanies,
  addresses: shownAddresses,
  async tags(tx, contacts) {
    const dictionary = await listTags(tx, { with: contacts.flatMap(({ tagIds }) => tagIds) });
    return contacts.map((contact) => tagsOf(contact, dictionary));
  },
};
