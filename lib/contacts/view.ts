import type * as v from 'valibot';
import type { ContactWithTags, StoredContact } from '#lib/entities/contact.ts';
import type { StoredTag } from '#lib/entities/tag.ts';

export type ShownContact = v.InferOutput<typeof ContactWithTags>;

/** The contact as shown, its tags in order of name. */
export const withTags = (contact: StoredContact, dictionary: readonly StoredTag[]): ShownContact => ({
  ...contact,
  tags: tagsOf(contact, dictionary),
});

/** The tags of a contact; the dictionary is in order of name. */
export const tagsOf = ({ tagIds }: StoredContact, dictionary: readonly StoredTag[]) =>
  dictionary.filter(({ id }) => tagIds.includes(id)).map(({ id, name, color }) => ({ id, name, color }));
