import * as v from 'valibot';
import { checked, reading } from './schema.ts';

const unsafe = /^(__proto__|prototype|constructor)$/;

/** Caller-owned key and value pairs of a contact, deal or task (contract section 13). */
const Metadata = v.pipe(
  reading(
    v.record(
      v.pipe(v.string(), v.regex(/^[A-Za-z0-9_.-]{1,40}$/, 'must have keys of 1 to 40 letters, digits, _ . or -')),
      v.pipe(
        v.string(),
        v.trim(),
        checked('max_code_points', (value: string) => [...value].length <= 500, 'must have at most 500 characters'),
      ),
    ),
    (value) => {
      // valibot takes an array for a record.
      if (Array.isArray(value)) return 'an array';
      if (typeof value !== 'object' || value === null) return value;
      // It leaves such keys out without a word; so they are refused.
      return Object.fromEntries(Object.entries(value).map(([key, text]) => [unsafe.test(key) ? `${key}!` : key, text]));
    },
  ),
  checked(
    'max_length',
    (pairs: Record<string, string>) => Object.keys(pairs).length <= 50,
    'must have at most 50 keys',
  ),
);

export const PutMetadata = v.pipe(v.object({ metadata: Metadata }), v.title('PutMetadata'));
export const MetadataAnswer = v.pipe(v.object({ metadata: v.record(v.string(), v.string()) }), v.title('Metadata'));

/** `metadata.<key>=<value>` of a list. */
export const metadataFilter = { metadata: v.optional(v.record(v.string(), v.string())) };

const pair = (key: string, value: string) => `\n${JSON.stringify([key, value])}\n`;

/** The one index entry that makes all pairs findable; absent without pairs. */
export const metadataEntry = (metadata: Record<string, string>) => {
  const pairs = Object.entries(metadata);
  return (
    pairs.length > 0 && { name: 'metadata', copy: { text: pairs.map(([key, value]) => pair(key, value)).join('') } }
  );
};

/** The `texts` of a listing that a metadata filter means. */
export const withMetadata = (filter: Record<string, string> | undefined) =>
  Object.entries(filter ?? {}).map(([key, value]) => ({ index: 'metadata', contains: pair(key, value) }));

/** Whether both hold the same pairs, in any order. */
export const isSameMetadata = (a: Record<string, string>, b: Record<string, string>) =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value);
