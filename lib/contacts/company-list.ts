import type * as v from 'valibot';
import { withMetadata } from '#lib/core/metadata.ts';
import { wordsOf } from '#lib/core/text.ts';
import {
  Companies,
  type CompanyDuplicateQuery,
  type CompanyQuery,
  comparableName,
  hostIn,
  type StoredCompany,
} from '#lib/entities/company.ts';
import { Contacts, type ContactsOfCompanyQuery, type StoredContact } from '#lib/entities/contact.ts';
import { listNoun } from '#lib/search/list.ts';
import { common, holding } from '#lib/table/conditions.ts';
import { listPage, type Page, unitePages } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { companyOfDomain, getStoredCompany } from './company-read.ts';

/** Returns companies in descending order of id; every filter may be combined. */
export async function listCompanies(
  tx: UnitOfWork,
  { include, domain, ...query }: v.InferOutput<typeof CompanyQuery>,
): Promise<Page<StoredCompany>> {
  const { archived = 'false' } = query;
  // An archived company holds its domains no more, so its own row says them.
  const sought = archived === 'false' ? domain : undefined;
  const holder = sought === undefined ? undefined : await companyOfDomain(tx, sought);
  if (sought !== undefined && holder === undefined) return { items: [], nextCursor: null, hasMore: false };
  const listing = listingFrom(
    Companies,
    { ...query, domain: sought === undefined ? domain : undefined },
    {
      ...common,
      domain: (host) => ({ matches: ({ domains }) => domains.includes(hostIn(host)), columns: ['domains'] }),
      assignedToUserId: (assignee) => ({ where: { assignee } }),
      metadata: (metadata) => ({ contains: { metadata: withMetadata(metadata) } }),
      q: (q) => holding(wordsOf(q), ['name', 'domains'], ({ name, domains }) => [name, ...domains]),
    },
  );
  const ids = query.ids?.filter((id) => id === holder?.id) ?? [];
  return listNoun(tx, Companies, holder ? { ...listing, ids: query.ids ? ids : [holder.id] } : listing);
}

/** Returns the companies with a domain of the same registrable one, or with the same name without case, accents, and legal form. Raises 404. */
export async function listCompanyDuplicates(
  tx: UnitOfWork,
  id: number,
  { after, limit }: v.InferOutput<typeof CompanyDuplicateQuery>,
): Promise<Page<StoredCompany>> {
  const company = await getStoredCompany(tx, id);
  const like = comparableName(company.name);
  const wheres = [...company.roots.map((root) => ({ root })), ...(like === '' ? [] : [{ like }])];
  const pages = await Promise.all(wheres.map((where) => listPage(tx, Companies, { where, after, limit: limit + 1 })));
  return unitePages(pages, id, limit);
}

/** Returns the contacts of a company, newest first. Raises 404. */
export async function listContactsOfCompany(
  tx: UnitOfWork,
  id: number,
  { after, limit, archived }: v.InferOutput<typeof ContactsOfCompanyQuery>,
): Promise<Page<StoredContact>> {
  const [page] = await Promise.all([
    listPage(tx, Contacts, { where: { company: id }, after, limit, archived }),
    getStoredCompany(tx, id),
  ]);
  return page;
}
