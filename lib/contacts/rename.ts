import { Companies, type StoredCompany } from '#lib/entities/company.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { namingCompanies } from '#lib/entities/naming-companies.ts';
import { namingContacts } from '#lib/entities/naming-contacts.ts';
import { type Place, renameReferences } from '#lib/entities/references/follow.ts';
import { type SagaKind, Sagas } from '#lib/table/saga.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/**
 * Shows a new name wherever the contact's name is shown, before the answer or by way of the saga: only after the commit can no row
 * with the old name appear any more, because whoever writes one requires the contact as it was. Where no row shows the name there is
 * nothing to do: whoever begins to meanwhile changes the contact, on whose reading the commit is conditional.
 */
export function startRename(tx: UnitOfWork, { id, isNameShown }: StoredContact): void {
  if (isNameShown && !isBegun(tx, { contactId: id })) startSaga(tx, renaming, { contactId: id });
}

/** The same for the name of a company, which its contacts show. */
export function startCompanyRename(tx: UnitOfWork, { id, isNameShown }: StoredCompany): void {
  if (isNameShown && !isBegun(tx, { companyId: id })) startSaga(tx, renaming, { companyId: id });
}

type Renamed = { contactId?: number; companyId?: number };

/** One saga shows the last of several names that a batch gives in one transaction. */
const isBegun = (tx: UnitOfWork, { contactId, companyId }: Renamed): boolean =>
  tx
    .written(Sagas)
    .some(
      ({ kind, state }) =>
        kind === renaming.name && state['contactId'] === contactId && state['companyId'] === companyId,
    );

/** A record that is merged meanwhile has its rows renamed by the merge. */
export const renaming: SagaKind<Renamed & { place?: Place }, 'rename'> = {
  name: 'rename',
  async step(tx, { place, ...renamed }) {
    const { contactId, companyId } = renamed;
    const next =
      companyId === undefined
        ? await renameContact(tx, contactId as number, place)
        : await renameCompany(tx, companyId, place);
    return next && { ...renamed, place: next };
  },
};

// Where nothing shows another name there is nothing that a later one could get in the way of.
async function renameContact(tx: UnitOfWork, id: number, place: Place | undefined): Promise<Place | undefined> {
  const contact = await tx.find(Contacts, { id });
  const next = contact && (await renameReferences(tx, Contacts, namingContacts, contact, place));
  if (contact && !tx.isEmpty) tx.requireUnchanged(Contacts, contact);
  return next;
}

async function renameCompany(tx: UnitOfWork, id: number, place: Place | undefined): Promise<Place | undefined> {
  const company = await tx.find(Companies, { id });
  const next = company && (await renameReferences(tx, Companies, namingCompanies, company, place));
  if (company && !tx.isEmpty) tx.requireUnchanged(Companies, company);
  return next;
}
