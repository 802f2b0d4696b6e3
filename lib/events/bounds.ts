import { firstBytes } from '#lib/core/text.ts';

/** No text in an event is longer (contract, revision 1.3): bytes of UTF-8. */
const maxTextBytes = 16 * 1024;

/** Limit for an event's data as JSON, so that its outbox row, its feed row, and a delivery all fit DynamoDB's 400 KB. */
const maxDataBytes = 300_000;

interface Bounded {
  data: Record<string, unknown>;
  /** Dotted paths from the event's root: `data.body`. */
  truncated?: readonly string[] | undefined;
}

/**
 * Returns an event within its size limit: texts above 16 KiB are cut between characters and named in `truncated`. Data that are still too
 * large get shorter texts, lists, and maps, and are left out if only their names are too long.
 */
export function bounded<Draft extends Bounded>(draft: Draft, maxBytesOfData: number = maxDataBytes): Draft & Bounded {
  const { truncated: before = [] } = draft;
  for (let maxBytes = maxTextBytes; maxBytes >= 1; maxBytes /= 2) {
    const paths = new Set(before);
    const data = shortened(draft.data, 'data', maxBytes, paths) as Draft['data'];
    if (bytesOf([data, ...paths]) <= maxBytesOfData)
      return paths.size > 0 ? { ...draft, data, truncated: [...paths] } : draft;
  }
  return { ...draft, data: {}, truncated: ['data'] };
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** The value itself when nothing in it is too long. */
function shortened(value: unknown, path: string, maxBytes: number, paths: Set<string>): unknown {
  if (typeof value === 'string') {
    const text = firstBytes(value, maxBytes);
    if (text !== value) paths.add(path);
    return text;
  }
  if (typeof value !== 'object' || value === null) return value;
  // A thousand at first.
  const maxEntries = Math.max(1, Math.ceil(maxBytes / 16));
  const entries = Object.entries(value);
  if (entries.length > maxEntries) paths.add(path);
  const kept = entries
    .slice(0, maxEntries)
    .map(([key, inner]) => [key, shortened(inner, `${path}.${key}`, maxBytes, paths)] as const);
  if (kept.length === entries.length && kept.every(([, inner], index) => inner === entries[index]?.[1])) return value;
  return Array.isArray(value) ? kept.map(([, inner]) => inner) : Object.fromEntries(kept);
}
