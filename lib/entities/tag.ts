import * as v from 'valibot';
import { count, id, line, reading } from '#lib/core/schema.ts';
import { entity, type Item } from '#lib/table/entity.ts';

export const color = () =>
  reading(
    v.pipe(v.string(), v.regex(/^#[0-9a-f]{6}$/, 'must be a color such as #3949ab'), v.examples(['#3949ab'])),
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
  );

const maxTagName = 50;
export const tagName = () => line(maxTagName);

/** As a contact shows it (base document, "Tag"). */
export const Tag = v.pipe(v.object({ id: id(), name: v.string(), color: v.string() }), v.title('Tag'));

/** As the dictionary shows it. */
export const DictionaryTag = v.pipe(v.object({ ...Tag.entries, contactCount: count() }), v.title('DictionaryTag'));
export const Dictionary = v.pipe(v.object({ items: v.array(DictionaryTag) }), v.title('TagDictionary'));

export const CreateTag = v.pipe(v.object({ name: tagName(), color: v.optional(color()) }), v.title('CreateTag'));
export const PatchTag = v.pipe(
  v.object({ name: v.optional(tagName()), color: v.optional(color()) }),
  v.title('PatchTag'),
);

/** Limit of a workspace. */
export const maxTags = 1000;

/** A tag of the dictionary. `contactCount` is kept by the transactions that attach and detach. */
export const Tags = entity({ name: 'tag', schema: DictionaryTag, countedBeside: ['contactCount'] });

export type StoredTag = Item<typeof Tags>;

/** Keeps two tags from having one name, whatever its case. */
export const TagNames = entity({
  name: 'tag-name',
  schema: v.object({ name: v.string(), tagId: id() }),
  sortKey: ({ name }) => name,
});

export const sameName = (name: string) => name.normalize('NFC').toLowerCase();

/** How many tags there are. */
export const TagCounts = entity({ name: 'tag-count', schema: v.object({ id: v.literal(1), count: count() }) });

const collator = new Intl.Collator('en');
export const byName = (a: { name: string }, b: { name: string }) => collator.compare(a.name, b.name);

const palette = [
  '#e53935',
  '#d81b60',
  '#8e24aa',
  '#5e35b1',
  '#3949ab',
  '#1e88e5',
  '#00acc1',
  '#00897b',
  '#43a047',
  '#c0ca33',
  '#fb8c00',
  '#6d4c41',
];

/** The same name always has the same colour. */
export function defaultColor(name: string): string {
  let hash = 0;
  for (const letter of sameName(name)) hash = (hash * 31 + (letter.codePointAt(0) as number)) % 65_521;
  return palette[hash % palette.length] as string;
}
