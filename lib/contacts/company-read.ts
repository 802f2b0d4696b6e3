import { conflict, notFound } from '#lib/core/problem.ts';
import { includesArchive } from '#lib/entities/archive.ts';
import { Companies, hostIn, type StoredCompany } from '#lib/entities/company.ts';
import { domainOf } from '#lib/entities/contact-address.ts';
import { holderOf } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { includesFields, shownValues, valueHolder } from '#lib/workspaces/fields.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';

/** Companies as holders of custom values. */
export const companyValues = valueHolder('company', Companies);

/** Adds to companies what `include` asks for. */
export const expandCompanies = { ...includesFields('company'), ...includesArchive };

/** The company as stored. Raises 404. */
export const getStoredCompany = (tx: UnitOfWork, id: number): Promise<StoredCompany> =>
  tx.get(Companies, { id }, () => notFound('company'));

/** Returns the company that has a domain, whatever its spelling. */
export const companyOfDomain = (tx: UnitOfWork, domain: string): Promise<StoredCompany | undefined> =>
  holderOf(tx, Companies, { domain: hostIn(domain) });

/**
 * Returns the company that a contact with this e-mail address is linked to by its domain: undefined for a provider of free mail, and
 * where the workspace does not want it.
 */
export async function companyByMail(
  tx: UnitOfWork,
  email: string | null | undefined,
): Promise<StoredCompany | undefined> {
  if (!email) return undefined;
  const domain = domainOf(email);
  const company = await companyOfDomain(tx, domain);
  if (company === undefined || company.freeDomains.includes(domain)) return undefined;
  const { linkByDomain } = await getWorkspace(tx);
  return linkByDomain ? company : undefined;
}

/** Raises 409 when another company has one of the domains. */
export async function requireFreeDomains(
  tx: UnitOfWork,
  id: number | undefined,
  domains: readonly string[],
): Promise<void> {
  const holders = await Promise.all(domains.map((domain) => holderOf(tx, Companies, { domain })));
  for (const [index, holder] of holders.entries()) {
    if (holder === undefined || holder.id === id) continue;
    throw conflict(
      'domain_taken',
      `company ${holder.id} has the domain ${domains[index]}: change that one, or leave it out`,
      {
        companyId: holder.id,
      },
    );
  }
}

/** Returns the custom values of a company. Raises 404. */
export const getCompanyFields = async (tx: UnitOfWork, id: number) => ({
  fields: await shownValues(tx, 'company', await getStoredCompany(tx, id)),
});

/** Returns the metadata of a company. Raises 404. */
export const getCompanyMetadata = async (tx: UnitOfWork, id: number) => ({
  metadata: (await getStoredCompany(tx, id)).metadata,
});
