import type * as v from 'valibot';
import type { ActivityQuery, CreateNote, WorkspaceActivityQuery } from '#lib/entities/activity.ts';
import { Activities } from '#lib/entities/activity.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { matching } from '#lib/table/conditions.ts';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addActivity } from './activity.ts';
import { getStoredContact } from './store.ts';

type Entry = Item<typeof Activities>;

/** What happened to a contact, newest first. Raises 404. */
export async function listActivities(
  tx: UnitOfWork,
  contactId: number,
  { type: types, ...paging }: v.InferOutput<typeof ActivityQuery>,
): Promise<Page<Entry>> {
  const [page] = await Promise.all([
    listPage(tx, Activities, {
      ...paging,
      within: { contactId },
      ...ofTypes(types),
    }),
    getStoredContact(tx, contactId),
  ]);
  return page;
}

/** What happened to all contacts, or to one, newest first. */
export const listAllActivities = (
  tx: UnitOfWork,
  { type: types, contactId, ...paging }: v.InferOutput<typeof WorkspaceActivityQuery>,
): Promise<Page<Entry>> =>
  listPage(tx, Activities, {
    ...paging,
    ...(contactId === undefined
      ? { where: { all: true }, contains: { all: types?.length === 1 ? types : undefined } }
      : { within: { contactId } }),
    ...ofTypes(types),
  });

const ofTypes = (types: v.InferOutput<typeof ActivityQuery>['type']) =>
  matching<Entry>(types !== undefined && (({ type }) => types.includes(type)));

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

/** Adds a note to the timeline of a contact that the unit of work holds. Emits contact.note_added. */
export async function writeNote(tx: UnitOfWork, contactId: number, text: string): Promise<Entry> {
  const note = await addActivity(tx, contactId, 'Note', { text });
  tx.emit({
    kind: 'contact.note_added',
    subject: `contact/${contactId}`,
    data: { contact_id: String(contactId), activity_id: String(note.id), text, actor: tx.eventActor },
  });
  return note;
}
