import * as v from 'valibot';
import { invalidField } from './problem.ts';
import { atMost, checked, noControls } from './schema.ts';

/**
 * Keys like any other that JavaScript's objects, valibot's records and DynamoDB's marshaller take for something else. Inside the
 * house they carry a mark that no key can have; it comes off wherever metadata is shown.
 */
const special = /^(prototype|constructor)(!?)$/;
const marked = (key: string) => (special.test(key) ? `${key}!` : key);
const unmarked = (key: string) => key.replace(special, '$1');

const keyForm = /^[A-Za-z0-9_.-]{1,40}$/;
const prefix = 'metadata.';

/** Returns the key in the name of a pair of metadata (`metadata.source`); undefined for another name. */
export function metadataKeyIn(name: string): string | undefined {
  const key = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return keyForm.test(key) ? key : undefined;
}

const Key = v.pipe(v.string(), v.regex(keyForm, 'must have keys of 1 to 40 letters, digits, _ . or -'));
const Value = v.pipe(
  v.string(),
  v.trim(),
  checked('max_code_points', (value: string) => [...value].length <= 500, 'must have at most 500 characters'),
  noControls(),
);
const maxPairs = 50;

type Dataset = { value: unknown; typed?: boolean; issues?: v.BaseIssue<unknown>[] };

/** A record that loses no key: `v.record` leaves the special ones out without a word. The output has them marked. */
export function pairs<V extends string | null>(keySchema: v.GenericSchema<string>, valueSchema: v.GenericSchema<V>) {
  const record = v.record(keySchema, valueSchema);
  return {
    ...record,
    '~run'(dataset: Dataset, config: never): Dataset {
      const { value: input } = dataset;
      // valibot takes an array for a record.
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        return record['~run']({ value: Array.isArray(input) ? 'an array' : input }, config) as Dataset;
      const read = Object.entries(input).map(([key, value]) => ({
        key,
        value,
        parts: [v.safeParse(keySchema, key), v.safeParse(valueSchema, value)] as const,
      }));
      const issues = read.flatMap(({ key, value, parts }) =>
        parts.flatMap((part) =>
          (part.issues ?? []).map((issue) => ({
            ...issue,
            path: [
              {
                type: 'object' as const,
                origin: 'value' as const,
                input: input as Record<string, unknown>,
                key,
                value,
              },
            ] as [v.ObjectPathItem],
          })),
        ),
      );
      if (issues.length > 0) return { typed: false, value: input, issues };
      return { typed: true, value: Object.fromEntries(read.map(({ key, parts }) => [marked(key), parts[1].output])) };
    },
  } as unknown as v.GenericSchema<Record<string, V>>;
}

/** Caller-owned key and value pairs of a contact, deal or task (contract section 13). */
export const metadataInput = () => atMost(maxPairs, 'keys', pairs(Key, Value));
export const PutMetadata = v.pipe(v.object({ metadata: metadataInput() }), v.title('PutMetadata'));
/** Null removes a key; the others stay. */
export const PatchMetadata = v.pipe(
  v.object({ metadata: atMost(2 * maxPairs, 'keys', pairs(Key, v.nullable(Value))) }),
  v.title('PatchMetadata'),
);

type MetadataChange = Readonly<Record<string, string | null>>;

/** Returns the pairs with those of a change, and without those that it sets to null. Raises 400 for too many. */
export function mergedMetadata(metadata: Record<string, string>, change: MetadataChange): Record<string, string> {
  const all = Object.entries({ ...metadata, ...change });
  const merged = Object.fromEntries(all.filter((pair): pair is [string, string] => pair[1] !== null));
  if (Object.keys(merged).length > maxPairs)
    throw invalidField('metadata', 'too_many', `metadata must have at most ${maxPairs} keys`);
  return merged;
}

/** Fields that no PATCH of a resource with metadata changes, and where they are changed. */
export const fixedInPatch = (nouns: string) => ({
  id: 'the path, which names another one',
  metadata: `PATCH /v1/${nouns}/{id}/metadata`,
});

/** As rows hold it. */
export const StoredMetadata = v.record(v.string(), v.string());

const shown = v.record(v.string(), v.string());

/** Metadata as it is shown, in answers and in events: by key, because the table keeps no order. */
export const toMetadataView = (metadata: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(metadata)
      .map(([key, value]) => [unmarked(key), value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The metadata of something as answers show it. */
export const Metadata = {
  ...shown,
  '~run': (dataset: { value: Record<string, string> }) => ({ typed: true, value: toMetadataView(dataset.value) }),
} as typeof shown;

export const MetadataAnswer = v.pipe(v.object({ metadata: Metadata }), v.title('Metadata'));

export const maxMetadataFilters = 10;

/** `metadata.<key>=<value>` of a list. */
export const metadataFilter = { metadata: v.optional(atMost(maxMetadataFilters, 'keys', pairs(Key, Value))) };

const pair = (key: string, value: string) => `\n${JSON.stringify([key, value])}\n`;

const pairsOf = (metadata: Record<string, string>) => Object.entries(metadata).map(([key, value]) => pair(key, value));

interface Described {
  metadata: Record<string, string>;
}

/** The one index that makes all pairs findable; what has none is not in it. */
export const metadataIndex = {
  of: ({ metadata }: Described) => Object.keys(metadata).length > 0,
  copy: ({ metadata }: Described) => ({ text: pairsOf(metadata).join('') }),
};

/** Returns the texts that entries must contain for a metadata filter. */
export const withMetadata = (filter: Record<string, string> | undefined) => pairsOf(filter ?? {});

/** The pair of a metadata key as it is written in a filter or in `matchOn`, as rows hold it. */
export const storedKey = marked;

/** The pairs of two, of a key that both have the first one's; `left` are those of the second one that are not taken. */
export function unite(first: Record<string, string>, second: Record<string, string>) {
  const added = Object.entries(second)
    .filter(([key]) => !Object.hasOwn(first, key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const room = maxPairs - Object.keys(first).length;
  const metadata = { ...first, ...Object.fromEntries(added.slice(0, room)) };
  const left = Object.entries(second).filter(([key, value]) => metadata[key] !== value);
  return { metadata, left: toMetadataView(Object.fromEntries(left)) };
}

/** Whether both hold the same pairs, in any order. */
export const isSameMetadata = (a: Record<string, string>, b: Record<string, string>) =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value);
