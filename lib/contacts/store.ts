import type * as v from 'valibot';
import { listTags } from '#lib/contacts/tags.ts';
import { withMetadata } from '#lib/core/metadata.ts';
import { invalidField, notFound } from '#lib/core/problem.ts';
import { Activities } from '#lib/entities/activity.ts';
import {
  type ContactChange,
  type ContactFields,
  type ContactQuery,
  Contacts,
  type ContactWithTags,
  type CreateContact,
  earlierEmails,
  normalised,
  type StoredContact,
} from '#lib/entities/contact.ts';
import { type StoredTag, Tags } from '#lib/entities/tag.ts';
import { changedFields, changesOf } from '#lib/events/changes.ts';
import { asked } from '#lib/table/asked.ts';
import { common } from '#lib/table/conditions.ts';
import { listPage, type Page, searched } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { primeMember, requireActiveMember } from '#lib/workspaces/members.ts';
import { addActivity } from './activity.ts';
import { startRename } from './rename.ts';

export type ShownContact = v.InferOutput<typeof ContactWithTags>;

/** The contact as stored. Raises 404. */
export const getStoredContact = (tx: UnitOfWork, id: number): Promise<StoredContact> =>
  tx.get(Contacts, { id }, () => notFound('contact'));

/** The contact, and the dictionary with every tag that it has; two reads side by side. Raises 404. */
export async function readTagged(tx: UnitOfWork, id: number) {
  const [contact] = await Promise.all([getStoredContact(tx, id), listTags(tx)]);
  return { contact, dictionary: await listTags(tx, { with: contact.tagIds }) };
}

/** The contact with its tags. Raises 404. */
export async function getContact(tx: UnitOfWork, id: number): Promise<ShownContact> {
  const { contact, dictionary } = await readTagged(tx, id);
  return withTags(contact, dictionary);
}

/** Contacts in descending order of id; every filter is exact and may be combined. */
export async function listContacts(
  tx: UnitOfWork,
  query: v.InferOutput<typeof ContactQuery>,
): Promise<Page<StoredContact>> {
  const { tagId } = query;
  const [page, tag] = await Promise.all([
    listPage(
      tx,
      Contacts,
      asked(Contacts, query, {
        ...common,
        username: (username) => ({ where: { username: normalised.username(username) } }),
        email: (email) => ({ where: { email: normalised.email(email) } }),
        phone: (phone) => ({ where: { phone: normalised.phone(phone) } }),
        tagId: (tag) => ({ where: { tag } }),
        assignedToUserId: (assignee) => ({ where: { assignee } }),
        hasUnread: (hasUnread) =>
          hasUnread ? { where: { unread: true } } : { matches: (contact) => !contact.hasUnreadMessages },
        minScore: (least) => ({ matches: ({ leadScore }) => leadScore !== null && leadScore >= least }),
        metadata: (metadata) => ({ contains: { metadata: withMetadata(metadata) } }),
        q: (q) => ({ contains: { search: searched(q) } }),
      }),
    ),
    tagId !== undefined && tx.find(Tags, { id: tagId }),
  ]);
  // A tag that was deleted is being taken off its contacts.
  return tag === undefined ? { items: [], nextCursor: null, hasMore: false } : page;
}

/** A new contact (contract section 2). Emits contact.created. Raises 400 without name, username and phone. */
export async function createContact(tx: UnitOfWork, input: v.InferOutput<typeof CreateContact>): Promise<ShownContact> {
  requireIdentity(input);
  await tx.reserveIds({ [Contacts.name]: 1, [Activities.name]: 1 });
  const contact = tx.create(Contacts, {
    id: await tx.nextId(Contacts),
    platform: input.platform,
    name: input.name ?? null,
    username: input.username ?? null,
    phone: input.phone ?? null,
    email: input.email ?? null,
    company: input.company ?? null,
    notes: input.notes ?? null,
    stage: 'new',
    leadScore: null,
    leadScoreIsAi: false,
    assignedToUserId: null,
    createdAt: tx.now,
    updatedAt: null,
    lastMessageAt: null,
    hasUnreadMessages: false,
    tagIds: [],
    metadata: {},
    identities: {},
    reach: [],
  });
  await addActivity(tx, contact.id, 'Created');
  tx.emit({
    kind: 'contact.created',
    subject: `contact/${contact.id}`,
    data: {
      contact_id: String(contact.id),
      platform: contact.platform,
      name: contact.name,
      username: contact.username,
      phone: contact.phone,
      email: contact.email,
      company: contact.company,
      stage: contact.stage,
      actor: tx.eventActor,
    },
  });
  return withTags(contact, []);
}

/**
 * Changes the given fields, with one activity per changed field. Emits contact.updated unless nothing changed. Raises 404, 400 for
 * an unknown member and when neither name, username nor phone remains.
 */
export async function changeContact(tx: UnitOfWork, id: number, change: ContactChange): Promise<ShownContact> {
  const [{ contact, dictionary }] = await Promise.all([
    readTagged(tx, id),
    primeMember(tx, change.assignedToUserId),
    tx.reserveIds({ [Activities.name]: Object.keys(change).length }),
  ]);
  await requireActiveMember(tx, 'assignedToUserId', change.assignedToUserId);
  const patch: Patch = { ...change, ...(change.leadScore === undefined ? {} : { leadScoreIsAi: false }) };
  const changed = changedFields(contact, patch);
  if (changed.length === 0) return withTags(contact, dictionary);
  const next: StoredContact = { ...contact, ...Object.fromEntries(changed.map((field) => [field, patch[field]])) };
  if (changed.includes('email'))
    next.earlierEmails = earlierEmails(next.email, contact.email, ...(contact.earlierEmails ?? []));
  if (changed.some((field) => field === 'name' || field === 'username' || field === 'phone')) requireIdentity(next);
  for (const [type, details] of activitiesOf(contact, next, changed)) await addActivity(tx, id, type, details);
  const updated = updateContact(tx, next, changesOf(contact, next, changed));
  if (changed.includes('name')) startRename(tx, updated);
  return withTags(updated, dictionary);
}

/** Gives the contact to a member, or to nobody. Raises 404, and 400 for `userId` that is not an active member. */
export async function assignContact(tx: UnitOfWork, id: number, userId: number | null): Promise<ShownContact> {
  await Promise.all([getStoredContact(tx, id), primeMember(tx, userId), listTags(tx)]);
  await requireActiveMember(tx, 'userId', userId);
  return changeContact(tx, id, { assignedToUserId: userId });
}

type Patch = { [Field in keyof StoredContact]?: StoredContact[Field] | undefined };
type Entry = [Parameters<typeof addActivity>[2], Parameters<typeof addActivity>[3]];

function activitiesOf(before: StoredContact, after: StoredContact, changed: readonly (keyof StoredContact)[]): Entry[] {
  const values = (field: 'stage' | 'assignedToUserId' | 'leadScore' | keyof ContactFields) => ({
    oldValue: before[field] === null ? null : String(before[field]),
    newValue: after[field] === null ? null : String(after[field]),
  });
  const entries: Entry[] = [];
  for (const field of changed) {
    if (field === 'stage') entries.push(['StageChanged', values(field)]);
    else if (field === 'assignedToUserId')
      entries.push([after.assignedToUserId === null ? 'Unassigned' : 'Assigned', values(field)]);
    else if (isPlainField(field)) entries.push(['FieldUpdated', { field, ...values(field) }]);
  }
  if (changed.some((field) => field === 'leadScore' || field === 'leadScoreIsAi'))
    entries.push(['ScoreChanged', values('leadScore')]);
  return entries;
}

const plainFields = ['name', 'username', 'phone', 'email', 'company', 'notes'];
const isPlainField = (field: string): field is keyof ContactFields => plainFields.includes(field);

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

/** The contact as shown, its tags in order of name. */
export const withTags = (contact: StoredContact, dictionary: readonly StoredTag[]): ShownContact => ({
  ...contact,
  tags: tagsOf(contact, dictionary),
});

/** The tags of a contact; the dictionary is in order of name. */
export const tagsOf = ({ tagIds }: StoredContact, dictionary: readonly StoredTag[]) =>
  dictionary.filter(({ id }) => tagIds.includes(id)).map(({ id, name, color }) => ({ id, name, color }));

function requireIdentity(fields: ContactFields): void {
  if (!fields.name && !fields.username && !fields.phone) {
    throw invalidField('name', 'required', 'at least one of name, username, phone is required');
  }
}
