import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import type { changesOf } from '#lib/events/changes.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { valueHolder } from '#lib/workspaces/fields.ts';

/** Contacts as holders of custom values. */
export const contactValues = valueHolder('contact', Contacts);

/** Writes a changed contact and emits contact.updated with what changed. */
export function updateContact(
  tx: UnitOfWork,
  after: StoredContact,
  changes: ReturnType<typeof changesOf>,
): StoredContact {
  const contact = saveContact(tx, after);
  tx.emit({
    kind: 'contact.updated',
    subject: `contact/${contact.id}`,
    data: { contact_id: String(contact.id), ...changes, actor: tx.eventActor },
  });
  return contact;
}

/** Writes a changed contact and emits nothing. */
export function saveContact(tx: UnitOfWork, after: StoredContact): StoredContact {
  return tx.update(Contacts, { ...after, updatedAt: tx.now });
}
