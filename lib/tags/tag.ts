import * as v from 'valibot';
import { pattern, text } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** As a contact shows it (base document, "Tag"). */
export const Tag = v.pipe(v.object({ id: v.number(), name: v.string(), color: v.string() }), v.title('Tag'));

/** As the dictionary shows it. */
export const DictionaryTag = v.pipe(v.object({ ...Tag.entries, contactCount: v.number() }), v.title('DictionaryTag'));

const color = () => pattern(/^#[0-9a-f]{6}$/, 7, 'a colour as #rrggbb', (value) => value.toLowerCase());

export const CreateTag = v.pipe(v.object({ name: text(50), color: v.optional(color()) }), v.title('CreateTag'));
export const PatchTag = v.pipe(
  v.object({ name: v.optional(text(50)), color: v.optional(color()) }),
  v.title('PatchTag'),
);

/** `contactCount` is kept by the transactions that attach and detach. */
export const Tags = entity({
  name: 'tag',
  schema: DictionaryTag,
  indexes: ({ name }) => [{ name: `name=${name.toLowerCase()}` }],
});
