import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';
import { changeContact } from './change.ts';
import { getStoredContact } from './read.ts';

/** Returns the custom values of a contact. Raises 404. */
export const getContactFields = async (tx: UnitOfWork, id: number) => ({
  fields: await shownValues(tx, 'contact', await getStoredContact(tx, id)),
});

/** Sets the given custom values; null clears. Emits contact.updated unless nothing changed. Raises 400, 404, 409. */
export async function patchContactFields(tx: UnitOfWork, id: number, fields: Record<string, unknown>) {
  await changeContact(tx, id, { fields });
  return getContactFields(tx, id);
}
