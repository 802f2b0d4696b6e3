import { listTags } from '#lib/contacts/tags.ts';
import { isSameMetadata, mergedMetadata } from '#lib/core/metadata.ts';
import { Activities } from '#lib/entities/activity.ts';
import type { ContactAddition, ContactChange, ContactFields, StoredContact } from '#lib/entities/contact.ts';
import { byName } from '#lib/entities/tag.ts';
import { changedFields, changesOf } from '#lib/events/changes.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { primeMember, requireActiveMember } from '#lib/workspaces/active-members.ts';
import { changeValues, mostTexts, withValues } from '#lib/workspaces/value-changes.ts';
import { addActivity } from './activity.ts';
import { withPrimary } from './addresses.ts';
import { linkByMail, withoutPrimary } from './company-links.ts';
import { requireIdentity } from './create.ts';
import { getStoredContact, readTagged, type ShownContact, tagsOf, withTags } from './read.ts';
import { startRename } from './rename.ts';
import { countTags, namedTags, requireTagRoom } from './tagging.ts';
import { contactValues, updateContact } from './write.ts';

/**
 * Changes the given fields, with one activity per changed field. Emits contact.updated unless nothing changed. Raises 404, 400 for
 * an unknown member and when neither name, username nor phone remains.
 */
export async function changeContact(
  tx: UnitOfWork,
  id: number,
  { tags: names, metadata: pairs = {}, fields: given, ...change }: ContactChange & ContactAddition,
): Promise<ShownContact> {
  const [{ contact, dictionary }] = await Promise.all([
    readTagged(tx, id),
    primeMember(tx, change.assignedToUserId),
    tx.reserveIds({ [Activities.name]: Object.keys(change).length + mostTexts(given) }),
  ]);
  await requireActiveMember(tx, 'assignedToUserId', change.assignedToUserId);
  const metadata = mergedMetadata(contact.metadata, pairs);
  const custom = await changeValues(tx, contactValues, given, contact);
  const tags = (await namedTags(tx, names)).filter((tag) => !contact.tagIds.includes(tag.id));
  const patch: Patch = {
    ...change,
    ...(change.leadScore === undefined ? {} : { leadScoreIsAi: false }),
    ...(isSameMetadata(metadata, contact.metadata) ? {} : { metadata }),
  };
  const changed = changedFields(contact, patch);
  if (changed.length + tags.length + custom.changed.length === 0) return withTags(contact, dictionary);
  const addressed = await withPrimaries(tx, { ...contact, ...custom.values }, change, changed);
  const isAddress = (field: string) => field === 'email' || field === 'phone';
  const next: StoredContact = {
    ...addressed,
    ...Object.fromEntries(changed.filter((field) => !isAddress(field)).map((field) => [field, patch[field]])),
  };
  if (changed.includes('company')) next.companyLinks = withoutPrimary(contact);
  const isLinked = changed.includes('email') && (await linkByMail(tx, next, next.email));
  if (changed.some((field) => field === 'name' || field === 'username' || field === 'phone')) requireIdentity(next);
  for (const [type, details] of activitiesOf(contact, next, changed)) await addActivity(tx, id, type, details);
  for (const details of custom.texts) await addActivity(tx, id, 'FieldUpdated', details);
  if (tags.length > 0) {
    next.tagIds = [...contact.tagIds, ...tags.map((tag) => tag.id)];
    requireTagRoom('tags', next.tagIds.length);
    await countTags(tx, id, tags);
  }
  const known = [...dictionary, ...tags.filter((tag) => !dictionary.some((one) => one.id === tag.id))].sort(byName);
  const named = (of: StoredContact) => ({
    ...of,
    tags: tagsOf(of, known).map(({ name }) => name),
    companies: of.companyLinks ?? [],
  });
  const fields = [
    ...changed,
    ...(tags.length > 0 ? (['tags'] as const) : []),
    ...(isLinked ? (['companies'] as const) : []),
  ];
  const changes = withValues(changesOf(named(contact), named(next), fields), custom);
  const updated = updateContact(tx, next, changes);
  if (updated.name !== contact.name) startRename(tx, updated);
  return withTags(updated, known);
}

/** Gives the contact to a member, or to nobody. Raises 404, and 400 for `userId` that is not an active member. */
export async function assignContact(tx: UnitOfWork, id: number, userId: number | null): Promise<ShownContact> {
  await Promise.all([getStoredContact(tx, id), primeMember(tx, userId), listTags(tx)]);
  await requireActiveMember(tx, 'userId', userId);
  return changeContact(tx, id, { assignedToUserId: userId });
}

/** Returns the contact with other primary addresses. */
async function withPrimaries(
  tx: UnitOfWork,
  contact: StoredContact,
  { email, phone }: ContactChange,
  changed: readonly string[],
): Promise<StoredContact> {
  const mailed = changed.includes('email') ? await withPrimary(tx, contact, 'email', email ?? null) : contact;
  return changed.includes('phone') ? withPrimary(tx, mailed, 'phone', phone ?? null) : mailed;
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
