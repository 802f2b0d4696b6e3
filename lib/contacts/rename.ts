import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
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
export function startRename(tx: UnitOfWork, contact: StoredContact): void {
  if (contact.isNameShown && !isBegun(tx, contact)) startSaga(tx, renaming, { contactId: contact.id });
}

/** One saga shows the last of several names that a batch gives in one transaction. */
const isBegun = (tx: UnitOfWork, { id }: StoredContact): boolean =>
  tx.written(Sagas).some(({ kind, state }) => kind === renaming.name && state['contactId'] === id);

/** A contact that is merged meanwhile has its rows renamed by the merge. */
export const renaming: SagaKind<{ contactId: number; place?: Place }, 'rename'> = {
  name: 'rename',
  async step(tx, { contactId, place }) {
    const contact = await tx.find(Contacts, { id: contactId });
    if (contact === undefined) return undefined;
    const next = await renameReferences(tx, Contacts, namingContacts, contact, place);
    // Where nothing shows another name there is nothing that a later one could get in the way of.
    if (!tx.isEmpty) tx.requireUnchanged(Contacts, contact);
    return next && { contactId, place: next };
  },
};
