import type * as v from 'valibot';
import { changedFields, changesOf } from '#lib/events/changes.ts';
import { withMetadata } from '#lib/metadata.ts';
import { invalidField, notFound } from '#lib/problem.ts';
import { listAll, listPage, type Page, searching } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Tags } from '#lib/tags/tag.ts';
import { Activities, addActivity } from './activity.ts';
import {
  type ContactFields,
  type ContactQuery,
  Contacts,
  type ContactWithTags,
  type CreateContact,
  normalisedEmail,
  normalisedPhone,
  normalisedUsername,
  type StoredContact,
} from './contact.ts';

type Shown = v.InferOutput<typeof ContactWithTags>;

/** The contact as stored. Raises 404. */
export const getStoredContact = (tx: Transaction, id: number): Promise<StoredContact> =>
  tx.get(Contacts, { id }, () => notFound('contact'));

/** The contact with its tags; two reads side by side. Raises 404. */
export async function getContact(tx: Transaction, id: number): Promise<Shown> {
  const [contact, tags] = await Promise.all([getStoredContact(tx, id), listAll(tx, Tags)]);
  return withTags(contact, tags);
}

/** Contacts in descending order of id; every filter is exact and may be combined. */
export async function listContacts(
  tx: Transaction,
  query: v.InferOutput<typeof ContactQuery>,
): Promise<Page<StoredContact>> {
  const { platform, minScore, createdSince, updatedSince, hasUnread, ids } = query;
  const indexes = [
    query.username !== undefined && `username=${normalisedUsername(query.username)}`,
    query.email !== undefined && `email=${normalisedEmail(query.email)}`,
    query.phone !== undefined && `phone=${normalisedPhone(query.phone)}`,
    query.tagId !== undefined && `tag=${query.tagId}`,
    query.assignedToUserId !== undefined && `assignee=${query.assignedToUserId}`,
    query.stage !== undefined && `stage=${query.stage}`,
    hasUnread === true && 'unread',
  ].filter((name) => name !== false);
  const residual: ((contact: StoredContact) => boolean)[] = [];
  if (platform !== undefined) residual.push((contact) => contact.platform === platform);
  if (minScore !== undefined) residual.push((contact) => contact.leadScore !== null && contact.leadScore >= minScore);
  if (hasUnread === false) residual.push((contact) => !contact.hasUnreadMessages);
  if (createdSince !== undefined) residual.push((contact) => contact.createdAt >= createdSince);
  if (updatedSince !== undefined) residual.push((contact) => (contact.updatedAt ?? contact.createdAt) >= updatedSince);
  return listPage(tx, Contacts, {
    ...query,
    ids,
    indexes,
    texts: [...withMetadata(query.metadata), ...searching(query.q)],
    ...(residual.length > 0 ? { matches: (contact: StoredContact) => residual.every((holds) => holds(contact)) } : {}),
  });
}

/** A new contact (contract section 2). Emits contact.created. Raises 400 without name, username and phone. */
export async function createContact(tx: Transaction, input: v.InferOutput<typeof CreateContact>): Promise<Shown> {
  demandIdentity(input);
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
    telegramUserId: null,
    twitterUserId: null,
  });
  countStage(tx, contact, 1);
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

/** Changes the given fields. One FieldUpdated activity per changed field; emits contact.updated unless nothing changed. */
export async function patchContact(tx: Transaction, id: number, patch: ContactFields): Promise<Shown> {
  const [contact, tags] = await Promise.all([getStoredContact(tx, id), listAll(tx, Tags)]);
  const changed = changedFields(contact, patch);
  if (changed.length === 0) return withTags(contact, tags);
  const next = {
    ...contact,
    ...Object.fromEntries(changed.map((field) => [field, patch[field] ?? null])),
  } as StoredContact;
  demandIdentity(next);
  await tx.reserveIds({ [Activities.name]: changed.length });
  for (const field of changed)
    await addActivity(tx, id, 'FieldUpdated', { field, oldValue: contact[field], newValue: next[field] });
  return withTags(updateContact(tx, contact, next, changed), tags);
}

/** Writes a changed contact and emits contact.updated with what changed. */
export function updateContact(
  tx: Transaction,
  before: StoredContact,
  after: StoredContact,
  changed: readonly (keyof StoredContact)[],
): StoredContact {
  if (before.stage !== after.stage) {
    countStage(tx, before, -1);
    countStage(tx, after, 1);
  }
  const contact = tx.update(Contacts, { ...after, updatedAt: tx.now });
  tx.emit({
    kind: 'contact.updated',
    subject: `contact/${contact.id}`,
    data: { contact_id: String(contact.id), ...changesOf(before, after, changed), actor: tx.eventActor },
  });
  return contact;
}

/** The contact as shown, its tags in order of name. */
export function withTags(contact: StoredContact, dictionary: readonly v.InferOutput<(typeof Tags)['schema']>[]): Shown {
  const tags = dictionary.filter((tag) => contact.tagIds.includes(tag.id)).sort((a, b) => a.name.localeCompare(b.name));
  return { ...contact, tags: tags.map(({ id, name, color }) => ({ id, name, color })) };
}

/** The contact board's column counts (contract section 12). */
const countStage = (tx: Transaction, contact: StoredContact, delta: number) =>
  tx.count('contacts', `stage=${contact.stage}`, { count: delta }, contact.id);

function demandIdentity(fields: ContactFields): void {
  if (!fields.name && !fields.username && !fields.phone) {
    throw invalidField('name', 'required', 'at least one of name, username, phone is required');
  }
}
