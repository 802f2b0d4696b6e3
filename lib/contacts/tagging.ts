import type * as v from 'valibot';
import { createTag, findTag, getTag } from '#lib/contacts/tags.ts';
import { invalidField, Problem } from '#lib/core/problem.ts';
import { Activities } from '#lib/entities/activity.ts';
import type { AddTag, StoredContact } from '#lib/entities/contact.ts';
import { byName, type StoredTag, Tags } from '#lib/entities/tag.ts';
import { changesOf } from '#lib/events/changes.ts';
import { WriteConflict } from '#lib/table/change.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addActivity } from './activity.ts';
import { readTagged, tagsOf } from './read.ts';
import { updateContact } from './write.ts';

const maxTagsPerContact = 100;

/** Raises 400 for more tags than a contact may have. */
export function requireTagRoom(field: string, count: number): void {
  if (count > maxTagsPerContact)
    throw invalidField(field, 'too_many', `a contact has at most ${maxTagsPerContact} tags`);
}

type Shown = ReturnType<typeof tagsOf>;

/** The tags of a contact by name. Raises 404. */
export async function getContactTags(tx: UnitOfWork, contactId: number): Promise<Shown> {
  const { contact, dictionary } = await readTagged(tx, contactId);
  return tagsOf(contact, dictionary);
}

/**
 * Attaches a tag, by its name also one that is not in the dictionary yet. Does nothing when the contact has it. Raises 404 for the
 * contact and the tag, 400 without either field and beyond a hundred tags.
 */
export async function attachTag(
  tx: UnitOfWork,
  contactId: number,
  { tagId, tagName }: v.InferOutput<typeof AddTag>,
): Promise<Shown> {
  const [{ contact, dictionary }] = await Promise.all([
    readTagged(tx, contactId),
    // One of a tag is lost where the dictionary has the name; to ask for it only then is a write more.
    tx.reserveIds({ [Activities.name]: 1, ...(tagId === undefined && { [Tags.name]: 1 }) }),
  ]);
  if (tagId === undefined && tagName === undefined)
    throw invalidField('tagId', 'required', 'one of tagId and tagName is required');
  const tag = tagId === undefined ? await namedTag(tx, tagName as string, 'tagName') : await getTag(tx, tagId);
  const shown = tagsOf(contact, dictionary);
  if (shown.some(({ id }) => id === tag.id)) return shown;
  requireTagRoom(tagId === undefined ? 'tagName' : 'tagId', shown.length + 1);
  await countTags(tx, contactId, [tag]);
  return changeTags(tx, contact, [...dictionary, tag], [...contact.tagIds, tag.id]);
}

/** Detaches a tag; does nothing when the contact does not have it. Raises 404 for the contact and the tag. */
export async function detachTag(tx: UnitOfWork, contactId: number, tagId: number): Promise<Shown> {
  const [{ contact, dictionary }] = await Promise.all([
    readTagged(tx, contactId),
    tx.reserveIds({ [Activities.name]: 1 }),
  ]);
  const tag = await getTag(tx, tagId);
  if (!contact.tagIds.includes(tagId)) return tagsOf(contact, dictionary);
  tx.add(Tags, tag, { contactCount: -1 });
  return detach(tx, contact, dictionary, tag);
}

/** The tags of these names by name, made where the dictionary has none. Raises 400 for more than it holds. */
export async function namedTags(tx: UnitOfWork, names: readonly string[] = []): Promise<StoredTag[]> {
  if (names.length > 0) await tx.reserveIds({ [Tags.name]: names.length, [Activities.name]: names.length });
  const tags = new Map<number, StoredTag>();
  for (const name of names) {
    const tag = await namedTag(tx, name, 'tags');
    tags.set(tag.id, tag);
  }
  return [...tags.values()].sort(byName);
}

/** Counts a contact's new tags, and notes them in its timeline. */
export async function countTags(tx: UnitOfWork, contactId: number, tags: readonly StoredTag[]): Promise<void> {
  for (const tag of tags) {
    tx.add(Tags, tag, { contactCount: 1 });
    await addActivity(tx, contactId, 'TagAdded', { tagId: tag.id, newValue: tag.name });
  }
}

async function namedTag(tx: UnitOfWork, name: string, field: string): Promise<StoredTag> {
  const known = await findTag(tx, name);
  if (known) return known;
  return createTag(tx, { name }).catch((error) => {
    const reason = error instanceof Problem && error.details?.['reason'];
    if (reason === 'tag_name_taken') throw new WriteConflict('another call has just made the tag');
    // Attaching a tag knows no 409 (contract section 16).
    if (reason === 'limit_reached') throw invalidField(field, 'too_many', error.message);
    throw error;
  });
}

/** Takes a tag off a contact that has it. Emits contact.updated. */
export async function detach(
  tx: UnitOfWork,
  contact: StoredContact,
  dictionary: readonly StoredTag[],
  tag: StoredTag,
): Promise<Shown> {
  await addActivity(tx, contact.id, 'TagRemoved', { tagId: tag.id, oldValue: tag.name });
  const left = contact.tagIds.filter((id) => id !== tag.id);
  return changeTags(tx, contact, dictionary, left);
}

/** Emits contact.updated with the names before and after. */
function changeTags(tx: UnitOfWork, contact: StoredContact, dictionary: readonly StoredTag[], tagIds: number[]): Shown {
  const known = [...new Map(dictionary.map((tag) => [tag.id, tag])).values()].sort(byName);
  const namesOf = (of: StoredContact) => tagsOf(of, known).map(({ name }) => name);
  const next = { ...contact, tagIds };
  updateContact(tx, next, changesOf({ tags: namesOf(contact) }, { tags: namesOf(next) }, ['tags']));
  return tagsOf(next, known);
}
