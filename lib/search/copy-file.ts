import { type ColumnMetaData, type FileMetaData, parquetMetadata, parquetRead } from 'hyparquet';
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
/** A warm function keeps of files, which never change, up to a quarter of its memory. */
const maxKeptBytes = () => Number(process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] ?? 512) * 256 * 1024;

interface Kept {
  of: unknown;
  bytes: number;
}

/** Footers and columns of row groups by key and place, the oldest first. */
const kept = new Map<string, Kept>();
let keptBytes = 0;

function keep(name: string, of: unknown, bytes: number): void {
  if (kept.has(name)) return;
  kept.set(name, { of, bytes });
  keptBytes += bytes;
  for (const [oldest, one] of kept) {
    if (keptBytes <= maxKeptBytes()) break;
    kept.delete(oldest);
    keptBytes -= one.bytes;
  }
}

/** Reads where the columns of a file are. Throws `NoSuchKey` where it is gone. */
export async function openFile(
  key: string,
  { sizeBytes, footerBytes }: Pick<StoredCopy, 'sizeBytes' | 'footerBytes'>,
): Promise<CopyFile> {
  const known = kept.get(key)?.of as CopyFile | undefined;
  if (known !== undefined) return known;
  const metadata = parquetMetadata(await readRange(key, sizeBytes - footerBytes, sizeBytes));
  const fields = metadata.key_value_metadata?.find((entry) => entry.key === 'fields')?.value ?? '[]';
  const file: CopyFile = { key, metadata, fields: JSON.parse(fields) };
  keep(key, file, footerBytes);
  return file;
}

/**
 * Reads those of the columns that a file has, by row groups, in their order or from the last. They are kept in memory unless they are
 * read once. Throws `NoSuchKey` where the file is gone.
 */
export async function* readGroups(
  { key, metadata }: CopyFile,
  wanted: readonly string[],
  { fromLast = false, isReadOnce = false } = {},
): AsyncGenerator<Group> {
  const groups = metadata.row_groups.map((_, index) => planOf(key, metadata, index, wanted));
  if (fromLast) groups.reverse();
  const gap = gapFor(groups.map(({ places }) => places));
  // Of a file that does not fit, the next search would find nothing: it begins with what was dropped first.
  const takes = groups.reduce((sum, { missing }) => sum + [...missing.values()].reduce((a, b) => a + b, 0), 0);
  const ranges = groups.map(({ places }) => united(places, gap));
  const fetched: Promise<Fetched[]>[] = [];
  const fetch = (at: number) => {
    const bytes = Promise.all(
      (ranges[at] ?? []).map(async (range) => ({ ...range, bytes: await readRange(key, range.start, range.end) })),
    );
    // One that is never waited for, as the search has ended, fails silently.
    bytes.catch(() => {});
    return bytes;
  };
  for (const [at, { index, known, missing }] of groups.entries()) {
    let bytes = 0;
    for (let next = at; next < Math.min(groups.length, at + ahead); next += 1) {
      for (const { start, end } of ranges[next] ?? []) bytes += end - start;
      if (next > at && bytes > aheadBytes) break;
      fetched[next] ??= fetch(next);
    }
    const read = await decoded(metadata, index, [...missing.keys()], await (fetched[at] as Promise<Fetched[]>));
    if (takes <= maxKeptBytes() && !isReadOnce)
      for (const [name, values] of read) keep(`${key} ${index} ${name}`, values, missing.get(name) ?? 0);
    yield { rows: rowsOf(metadata, index), values: new Map([...known, ...read]) };
    delete fetched[at];
  }
}

interface Fetched extends Bytes {
  bytes: ArrayBuffer;
}

type Values = ArrayLike<unknown>;

/** Columns of a row group that a search asks for. */
interface Plan {
  index: number;
  /** Columns that are in memory. */
  known: Map<string, Values>;
  /** Columns that are not, with the memory that they take. */
  missing: Map<string, number>;
  /** Where the missing ones are, in the order of the file. */
  places: Bytes[];
}

const rowsOf = ({ row_groups: groups }: FileMetaData, index: number): number => Number(groups[index]?.num_rows ?? 0);

/** Returns about how many bytes a column takes once it is decoded, measured with V8; lists and JSON become objects. */
function memoryOf({ schema }: FileMetaData, { path_in_schema: path, ...meta }: ColumnMetaData): number {
  const isJson = schema.some(({ name, converted_type: type }) => name === path[0] && type === 'JSON');
  const [times, perValue] = path.length > 1 || isJson ? [3, 96] : [1, 24];
  return times * Number(meta.total_uncompressed_size) + perValue * Number(meta.num_values);
}

/** Returns what is to be read of a row group. Columns without any value are left out. */
function planOf(key: string, metadata: FileMetaData, index: number, wanted: readonly string[]): Plan {
  const plan: Plan = { index, known: new Map(), missing: new Map(), places: [] };
  for (const { meta_data: meta } of metadata.row_groups[index]?.columns ?? []) {
    const [name = '', ...inner] = meta?.path_in_schema ?? [];
    if (meta === undefined || !wanted.includes(name)) continue;
    if (inner.length === 0 && meta.statistics?.null_count === meta.num_values) continue;
    const values = kept.get(`${key} ${index} ${name}`)?.of as Values | undefined;
    if (values !== undefined) {
      plan.known.set(name, values);
      continue;
    }
    plan.missing.set(name, (plan.missing.get(name) ?? 0) + memoryOf(metadata, meta));
    const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset);
    plan.places.push({ start, end: start + Number(meta.total_compressed_size) });
  }
  return plan;
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

/** Decodes columns of a row group. */
async function decoded(
  metadata: FileMetaData,
  index: number,
  columns: string[],
  fetched: readonly Fetched[],
): Promise<Map<string, Values>> {
  const parts = new Map<string, Values[]>();
  if (columns.length === 0) return new Map();
  await parquetRead({
    file: { byteLength: Number.MAX_SAFE_INTEGER, slice: (start, end = start) => sliceIn(fetched, { start, end }) },
    metadata: { ...metadata, row_groups: metadata.row_groups.slice(index, index + 1) },
    columns,
    parsers: {
      timestampFromMilliseconds: (ms: bigint | null | undefined) => ((ms ?? null) === null ? null : Number(ms)),
      dateFromDays: (days: number) => days,
    } as never,
    onChunk: ({ columnName, columnData }) => parts.set(columnName, [...(parts.get(columnName) ?? []), columnData]),
  });
  return new Map(
    [...parts].map(([name, [first = [], ...others]]) => [
      name,
      others.length === 0 ? first : [first, ...others].flatMap((one) => Array.from(one)),
    ]),
  );
}

function sliceIn(fetched: readonly Fetched[], { start, end }: Bytes): ArrayBuffer {
  const range = fetched.find((one) => one.start <= start && end <= one.end);
  if (range === undefined) throw new Error(`bytes ${start} to ${end} of a copy were not read`);
  return range.bytes.slice(start - range.start, end - range.start);
}
