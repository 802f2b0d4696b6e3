import type * as v from 'valibot';
import { invalidField, unknownReference } from '#lib/core/problem.ts';
import { Companies, type StoredCompany } from '#lib/entities/company.ts';
import {
  Contacts,
  type PutContactCompanies,
  type StoredContact,
  type StoredContactCompany,
} from '#lib/entities/contact.ts';
import { changesOf } from '#lib/events/changes.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { leaveSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { addCompanyActivity } from './activity.ts';
import { companyByMail } from './company-read.ts';
import { getStoredContact } from './read.ts';
import type { ShownCompany } from './shown-companies.ts';
import { updateContact } from './write.ts';

/** Replaces the companies of a contact. Emits contact.updated unless they are the same. Raises 404, 400 for an unknown company. */
export async function putContactCompanies(
  tx: UnitOfWork,
  id: number,
  { items }: v.InferOutput<typeof PutContactCompanies>,
): Promise<{ items: ShownCompany[] }> {
  const contact = await getStoredContact(tx, id);
  const companies = await tx.findAll(
    Companies,
    items.map(({ companyId }) => ({ id: companyId })),
  );
  for (const [index, { companyId }] of items.entries()) {
    if (!companies.some((company) => company.id === companyId)) throw unknownReference(`items[${index}].companyId`);
    if (items.findIndex((one) => one.companyId === companyId) < index)
      throw invalidField(`items[${index}].companyId`, 'not_allowed', `items[${index}].companyId is given twice`);
  }
  const primaries = items.filter(({ isPrimary }) => isPrimary);
  if (primaries.length > 1) throw invalidField('items', 'not_allowed', 'items must have one primary company at most');
  const primary = primaries[0] ?? items[0];
  const links = items.map((item) => ({ ...item, isPrimary: item === primary }));
  if (JSON.stringify(links) !== JSON.stringify(contact.companyLinks ?? [])) {
    const company = companies.find((one) => one.id === primary?.companyId);
    await saveLinks(tx, contact, links, company);
  }
  return {
    items: links.map((link) => ({ ...link, name: companies.find((one) => one.id === link.companyId)?.name ?? '' })),
  };
}

async function saveLinks(
  tx: UnitOfWork,
  contact: StoredContact,
  links: readonly StoredContactCompany[],
  primary: StoredCompany | undefined,
): Promise<StoredContact> {
  const before = (contact.companyLinks ?? []).map(({ companyId }) => companyId);
  const after = links.map(({ companyId }) => companyId);
  const hadPrimary = contact.companyLinks?.some(({ isPrimary }) => isPrimary) ?? false;
  // A text that belongs to no company stands until there is one.
  const company = primary?.name ?? (hadPrimary ? null : contact.company);
  const next: StoredContact = { ...contact, companyLinks: [...links], company };
  const shown = (of: StoredContact) => ({ companies: (of.companyLinks ?? []).map((link) => ({ ...link })) });
  const saved = updateContact(tx, next, changesOf(shown(contact), shown(next), ['companies']));
  const contactId = contact.id;
  for (const id of after.filter((one) => !before.includes(one)))
    await addCompanyActivity(tx, id, 'ContactAdded', { contactId });
  for (const id of before.filter((one) => !after.includes(one))) {
    // One that is merged meanwhile has a history of its own no more.
    if (await tx.find(Companies, { id })) await addCompanyActivity(tx, id, 'ContactRemoved', { contactId });
  }
  return saved;
}

/** The links of a contact without the primary one, whose name another text takes the place of. */
export const withoutPrimary = ({ companyLinks = [] }: StoredContact): StoredContactCompany[] =>
  companyLinks.filter(({ isPrimary }) => !isPrimary);

/** Gives a changed contact the company that a new e-mail address belongs to, if it has none yet. Returns whether it did. */
export async function linkByMail(tx: UnitOfWork, next: StoredContact, email: string | null): Promise<boolean> {
  const company = (next.companyLinks ?? []).length > 0 ? undefined : await companyByMail(tx, email);
  if (company === undefined) return false;
  await addCompanyActivity(tx, company.id, 'ContactAdded', { contactId: next.id });
  next.companyLinks = [{ companyId: company.id, title: null, isPrimary: true }];
  next.company = company.name;
  return true;
}

/** Links the contacts that exist, in the background. */
export function startLinking(tx: UnitOfWork, { id, domains, freeDomains }: StoredCompany): void {
  if (domains.length > freeDomains.length) leaveSaga(tx, 'link-company', { companyId: id, after: null, domain: 0 });
}

const perStep = 20;

/** Links contacts to a new company by the domains of their addresses, one domain after the other. */
export const linking: SagaKind<{ companyId: number; domain: number; after: number | null }, 'link-company'> = {
  name: 'link-company',
  async step(tx, state) {
    const company = await tx.find(Companies, { id: state.companyId });
    const domain = company?.domains.filter((one) => !company.freeDomains.includes(one))[state.domain];
    if (company === undefined || company.archive || domain === undefined) return undefined;
    const { linkByDomain } = await getWorkspace(tx);
    if (!linkByDomain) return undefined;
    const left = await stepThrough(
      tx,
      Contacts,
      { where: { mailDomain: domain }, limit: perStep, after: state.after },
      async (contact) => {
        if ((contact.companyLinks ?? []).length === 0)
          await saveLinks(tx, contact, [{ companyId: company.id, title: null, isPrimary: true }], company);
      },
    );
    return left ? { ...state, after: left.after } : { ...state, domain: state.domain + 1, after: null };
  },
};
