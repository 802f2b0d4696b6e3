import type * as v from 'valibot';
import type { ContactCompany, StoredContact } from '#lib/entities/contact.ts';
import { presentCompanies } from '#lib/entities/references/present.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getStoredContact } from './read.ts';

export type ShownCompany = v.InferOutput<typeof ContactCompany>;

/** Returns the companies of contacts as answers show them; one read for all of them. One that is being merged is shown as the other. */
export async function shownCompanies(tx: UnitOfWork, contacts: readonly StoredContact[]): Promise<ShownCompany[][]> {
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
