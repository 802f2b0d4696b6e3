import { ApiError, type Schema } from '../../client/index.ts';
import { api } from './api.ts';
import { t } from './texts.ts';
import { readVersion } from './version.ts';

export type Company = Schema<'Company'>;
export type CompanyLink = Schema<'ContactCompany'>;

const maxAttempts = 5;

/** Changes the companies of a contact as they are now, again if somebody else was faster. Raises where the contact is gone. */
export async function changeLinks(
  contactId: number,
  change: (links: readonly CompanyLink[]) => readonly Schema<'ContactCompanyInput'>[],
): Promise<CompanyLink[]> {
  const path = `/v1/contacts/${contactId}/companies`;
  for (let attempt = 1; ; attempt += 1) {
    const found = await readVersion<{ items: CompanyLink[] }>(path);
    if (!found) throw new Error(t.contacts.thereIsNoSuchContact);
    const items = change(found.record.items).map(({ companyId, title, isPrimary }) => ({
      companyId,
      title: title ?? null,
      isPrimary: isPrimary ?? false,
    }));
    const header = found.etag === undefined ? {} : { 'If-Match': found.etag };
    try {
      return (
        await api.put('/v1/contacts/{id}/companies', { params: { path: { id: contactId }, header }, body: { items } })
      ).items;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === maxAttempts) throw error;
    }
  }
}

/** Returns links with one more, or with another title of one that is there. */
export const withLink = (links: readonly CompanyLink[], companyId: number, title: string | null) =>
  links.some((link) => link.companyId === companyId)
    ? links.map((link) => (link.companyId === companyId ? { ...link, title } : link))
    : [...links, { companyId, title }];

/** Returns links without that of a company; the first of the others becomes the main one if it was that. */
export const withoutLink = (links: readonly CompanyLink[], companyId: number) =>
  links.filter((link) => link.companyId !== companyId);

/** Returns links of which one company is the main one. */
export const withMain = (links: readonly CompanyLink[], companyId: number) =>
  links.map((link) => ({ ...link, isPrimary: link.companyId === companyId }));

/** The domains in a text, with spaces or commas between them. */
export const domainsIn = (text: string | undefined): string[] => text?.split(/[\s,;]+/).filter(Boolean) ?? [];
