import type * as v from 'valibot';
import type { Expand } from '#lib/core/include.ts';
import { includesArchive } from '#lib/entities/archive.ts';
import type { ContactCompany, StoredContact } from '#lib/entities/contact.ts';
import { addressesOf, type ContactAddress } from '#lib/entities/contact-address.ts';
import { presentCompanies } from '#lib/entities/references/present.ts';
import { SuppressedAddresses, suppressedKey } from '#lib/entities/suppression.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { includesFields } from '#lib/workspaces/fields.ts';
import { normalForm } from './lookup.ts';
import { getStoredContact, tagsOf } from './read.ts';
import { listTags } from './tags.ts';

export type ShownAddress = v.InferOutput<typeof ContactAddress>;
export type ShownCompany = v.InferOutput<typeof ContactCompany>;

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

/** Returns the companies of contacts as answers show them; one read for all of them. One that is being merged is shown as the other. */
async function shownCompanies(tx: UnitOfWork, contacts: readonly StoredContact[]): Promise<ShownCompany[][]> {
  const ids = contacts.flatMap(({ companyLinks = [] }) => companyLinks.map(({ companyId }) => companyId));
  const companies = await presentCompanies(tx, ids);
  return contacts.map(({ companyLinks = [] }) => {
    const shown = new Map<number, ShownCompany>();
    for (const { companyId, title, isPrimary } of companyLinks) {
      const company = companies.get(companyId);
      if (company === undefined) continue;
      const { id, name } = company;
      const other = shown.get(id);
      const own = other && companyId !== id ? other.title : title;
      shown.set(id, { companyId: id, name, title: own, isPrimary: isPrimary || (other?.isPrimary ?? false) });
    }
    return [...shown.values()];
  });
}

/** Returns the companies of a contact. Raises 404. */
export async function getContactCompanies(tx: UnitOfWork, id: number): Promise<{ items: ShownCompany[] }> {
  const [items = []] = await shownCompanies(tx, [await getStoredContact(tx, id)]);
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
