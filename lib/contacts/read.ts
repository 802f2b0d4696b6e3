import type * as v from 'valibot';
import { listTags } from '#lib/contacts/tags.ts';
import { notFound } from '#lib/core/problem.ts';
import type { ContactWithTags } from '#lib/entities/contact.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import type { StoredTag } from '#lib/entities/tag.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

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

export type ShownContact = v.InferOutput<typeof ContactWithTags>;

/** The contact as shown, its tags in order of name. */
export const withTags = (contact: StoredContact, dictionary: readonly StoredTag[]): ShownContact => ({
  ...contact,
  tags: tagsOf(contact, dictionary),
});

/** The tags of a contact; the dictionary is in order of name. */
export const tagsOf = ({ tagIds }: StoredContact, dictionary: readonly StoredTag[]) =>
  dictionary.filter(({ id }) => tagIds.includes(id)).map(({ id, name, color }) => ({ id, name, color }));
