import type * as v from 'valibot';
import type { ActivityQuery, CreateNote, WorkspaceActivityQuery } from '#lib/entities/activity.ts';
import { Activities } from '#lib/entities/activity.ts';
import { Contacts } from '#lib/entities/contact.ts';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addActivity } from './activity.ts';
import { getStoredContact } from './read.ts';

type Entry = Item<typeof Activities>;

/** Returns the activities of a contact, newest first. Raises 404. */
export async function listActivities(
  tx: UnitOfWork,
  contactId: number,
  query: v.InferOutput<typeof ActivityQuery>,
): Promise<Page<Entry>> {
  const [page] = await Promise.all([listAllActivities(tx, { ...query, contactId }), getStoredContact(tx, contactId)]);
  return page;
}

/** Returns the activities of all contacts, or of one, newest first. */
export function listAllActivities(
  tx: UnitOfWork,
  query: v.InferOutput<typeof WorkspaceActivityQuery>,
): Promise<Page<Entry>> {
  const isOfAll = query.contactId === undefined;
  const listing = listingFrom(Activities, query, {
    contactId: (contactId) => ({ within: { contactId } }),
    type: (types) => ({
      ...(isOfAll && types.length === 1 && { contains: { all: types } }),
      matches: ({ type }) => types.includes(type),
    }),
  });
  return listPage(tx, Activities, isOfAll ? { ...listing, where: { all: true } } : listing);
}

/** Adds a note to the timeline; the contact's own `notes` stay. Emits contact.note_added. Raises 404. */
export async function addNote(
  tx: UnitOfWork,
  contactId: number,
  { text }: v.InferOutput<typeof CreateNote>,
): Promise<Entry> {
  const [contact] = await Promise.all([getStoredContact(tx, contactId), tx.reserveIds({ [Activities.name]: 1 })]);
  tx.requireExists(Contacts, contact);
  return writeNote(tx, contactId, text);
}

/** Adds a note to the timeline of a contact that the unit of work holds, as of now or of an earlier time. Emits contact.note_added. */
export async function writeNote(tx: UnitOfWork, contactId: number, text: string, createdAt = tx.now): Promise<Entry> {
  const note = await addActivity(tx, contactId, 'Note', { text, createdAt });
  tx.emit({
    kind: 'contact.note_added',
    subject: `contact/${contactId}`,
    data: { contact_id: String(contactId), activity_id: String(note.id), text, actor: tx.eventActor },
  });
  return note;
}
