import { type FileMetaData, parquetMetadata, parquetRead, parquetSchema } from 'hyparquet';
import type { StoredCopy } from '#lib/entities/copy.ts';
import type { StoredField } from '#lib/entities/field.ts';
import { readRange } from '#lib/files/bucket.ts';
import type { Group } from './copied-row.ts';

/** A copy's file, of which columns can be read. */
export interface CopyFile {
  key: string;
  metadata: FileMetaData;
  /** The definitions of custom fields with which it was written. */
  fields: StoredField[];
}

interface Bytes {
  start: number;
  end: number;
}

/** Requests for all row groups, unless there are more groups. */
const maxRequests = 14;
const leastGap = 16 * 1024;
const largestGap = 8 * 1024 * 1024;
/** Row groups, and their bytes, that are fetched ahead of the one that is looked at. */
const ahead = 4;
const aheadBytes = 16 * 1024 * 1024;
/** Bytes of files that a warm function keeps. */
const maxKeptBytes = 32 * 1024 * 1024;

/** Bytes of files by key and place, the oldest first. */
const kept = new Map<string, ArrayBuffer>();
let keptBytes = 0;

/** Reads bytes of a file, which never change, from memory where they were read before. */
async function bytesOf(key: string, { start, end }: Bytes): Promise<ArrayBuffer> {
  const name = `${key} ${start} ${end}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const bytes = await readRange(key, start, end);
  if (bytes.byteLength > maxKeptBytes / 2 || kept.has(name)) return bytes;
  kept.set(name, bytes);
  keptBytes += bytes.byteLength;
  for (const [oldest, { byteLength }] of kept) {
    if (keptBytes <= maxKeptBytes) break;
    kept.delete(oldest);
    keptBytes -= byteLength;
  }
  return bytes;
}

/** Reads where the columns of a file are. Throws `NoSuchKey` where it is gone. */
export async function openFile(
  key: string,
  { sizeBytes, footerBytes }: Pick<StoredCopy, 'sizeBytes' | 'footerBytes'>,
): Promise<CopyFile> {
  const footer = await bytesOf(key, { start: sizeBytes - footerBytes, end: sizeBytes });
  const metadata = parquetMetadata(footer);
  const fields = metadata.key_value_metadata?.find((entry) => entry.key === 'fields')?.value ?? '[]';
  return { key, metadata, fields: JSON.parse(fields) };
}

/** Reads those of the columns that a file has, by row groups, in their order or from the last. Throws `NoSuchKey` where it is gone. */
export async function* readGroups(
  { key, metadata }: CopyFile,
  wanted: readonly string[],
  { fromLast = false } = {},
): AsyncGenerator<Group> {
  const { children } = parquetSchema(metadata);
  const columns = wanted.filter((name) => children.some(({ element }) => element.name === name));
  const order = metadata.row_groups.map((_, index) => index);
  if (fromLast) order.reverse();
  const places = order.map((index) => placesOf(metadata, index, columns));
  const gap = gapFor(places);
  const ranges = places.map((one) => united(one, gap));
  const fetched: Promise<Fetched[]>[] = [];
  const fetch = (at: number) => {
    const bytes = Promise.all(
      (ranges[at] ?? []).map(async (range) => ({ ...range, bytes: await bytesOf(key, range) })),
    );
    // One that is never waited for, as the search has ended, fails silently.
    bytes.catch(() => {});
    return bytes;
  };
  for (let at = 0; at < order.length; at += 1) {
    let bytes = 0;
    for (let next = at; next < Math.min(order.length, at + ahead); next += 1) {
      for (const { start, end } of ranges[next] ?? []) bytes += end - start;
      if (next > at && bytes > aheadBytes) break;
      fetched[next] ??= fetch(next);
    }
    yield decoded(metadata, order[at] as number, columns, await (fetched[at] as Promise<Fetched[]>));
    delete fetched[at];
  }
}

interface Fetched extends Bytes {
  bytes: ArrayBuffer;
}

/** Returns where the columns of a row group are, in the order of the file. */
function placesOf(metadata: FileMetaData, group: number, columns: readonly string[]): Bytes[] {
  const chunks = metadata.row_groups[group]?.columns ?? [];
  return chunks.flatMap(({ meta_data: meta }): Bytes[] => {
    if (meta === undefined || !columns.includes(String(meta.path_in_schema[0]))) return [];
    const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
    return [{ start, end: start + Number(meta.total_compressed_size) }];
  });
}

/** Returns the bytes between two columns up to which both are read together. */
function gapFor(places: readonly Bytes[][]): number {
  const requests = (gap: number) => places.reduce((sum, one) => sum + united(one, gap).length, 0);
  let gap = leastGap;
  while (gap < largestGap && requests(gap) > Math.max(maxRequests, places.length)) gap *= 2;
  return gap;
}

function united(places: readonly Bytes[], gap: number): Bytes[] {
  const ranges: Bytes[] = [];
  for (const { start, end } of places) {
    const last = ranges.at(-1);
    if (last && start - last.end <= gap) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

async function decoded(
  metadata: FileMetaData,
  group: number,
  columns: readonly string[],
  fetched: readonly Fetched[],
): Promise<Group> {
  const alone = { ...metadata, row_groups: metadata.row_groups.slice(group, group + 1) };
  const rows = Number(alone.row_groups[0]?.num_rows ?? 0);
  const parts = new Map<string, ArrayLike<unknown>[]>();
  await parquetRead({
    file: { byteLength: Number.MAX_SAFE_INTEGER, slice: (start, end = start) => sliceIn(fetched, { start, end }) },
    metadata: alone,
    columns: [...columns],
    parsers: {
      timestampFromMilliseconds: (ms: bigint | null | undefined) => ((ms ?? null) === null ? null : Number(ms)),
      dateFromDays: (days: number) => days,
    } as never,
    onChunk: ({ columnName, columnData }) => parts.set(columnName, [...(parts.get(columnName) ?? []), columnData]),
  });
  const values = [...parts].map(([name, all]) => {
    const [first, ...others] = all;
    return [name, others.length === 0 ? first : all.flatMap((one) => Array.from(one))] as const;
  });
  return { rows, values: new Map(values as [string, ArrayLike<unknown>][]) };
}

function sliceIn(fetched: readonly Fetched[], { start, end }: Bytes): ArrayBuffer {
  const range = fetched.find((one) => one.start <= start && end <= one.end);
  if (range === undefined) throw new Error(`bytes ${start} to ${end} of a copy were not read`);
  return range.bytes.slice(start - range.start, end - range.start);
}
