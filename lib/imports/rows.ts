import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { isTooDeep, maxLevels } from '#lib/core/nesting.ts';
import { type FileForm, maxColumns } from '#lib/entities/import.ts';
import { decoded, inUtf8 } from './encoding.ts';

/** A file cannot be read to its end. The message is for the caller. */
export class UnreadableFile extends Error {}

/** A row of a file, by its place among those that have something. */
export interface SourceRow {
  place: number;
  /** The values by header: cells of CSV that have something, or members of an object. */
  values: ReadonlyMap<string, unknown>;
  /** Fault of the row itself. */
  error: string | null;
  /** The cells as text, or the line. */
  source: readonly string[] | string;
}

/** Limit of a file: about 200 MB of people. Rows without any value count, because they take as long to read. */
const maxRows = 2_000_000;
/** Limit of a row. */
const maxRowBytes = 1024 * 1024;
const tooLong = `must have at most ${maxRowBytes} bytes`;
const outside = (encoding: string) => `the row has bytes that are not ${encoding}: save the file in one encoding`;

function requireFew(rows: number): void {
  if (rows > maxRows) throw new UnreadableFile(`the file has more than ${maxRows} rows: split it`);
}

/** A form whose encoding is known. */
export type KnownForm = FileForm & { encoding: NonNullable<FileForm['encoding']> };

/** Bytes of a file on the disk. */
export const bytesOf = (path: string): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: 65_536 });

/** Yields the rows of a file as they come. Throws UnreadableFile. */
export const rowsOf = (
  bytes: AsyncIterable<Buffer>,
  form: KnownForm,
  onHeaders: (headers: readonly string[]) => void = () => {},
): AsyncGenerator<SourceRow> => (form.format === 'csv' ? csvRows(bytes, form, onHeaders) : jsonRows(bytes, form));

/** Returns the names of columns: an empty one gets its number, and one that is there already a number of its own. */
function headersOf(cells: readonly string[]): string[] {
  const headers = new Set<string>();
  const lastNumbers = new Map<string, number>();
  for (const [index, cell] of cells.entries()) {
    const name = cell.trim() || `Column ${index + 1}`;
    let unique = name;
    let number = lastNumbers.get(name) ?? 1;
    while (headers.has(unique)) {
      number += 1;
      unique = `${name} (${number})`;
    }
    lastNumbers.set(name, number);
    headers.add(unique);
  }
  return [...headers];
}

async function* csvRows(
  source: AsyncIterable<Buffer>,
  { encoding, delimiter }: KnownForm,
  onHeaders: (headers: readonly string[]) => void,
): AsyncGenerator<SourceRow> {
  const parser = parse({
    // Cells are decoded one by one, so that a wrong byte is found in its row.
    encoding: 'latin1',
    delimiter: delimiter ?? ',',
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // An error of one reaches the other, and so the loop below.
  pipeline(Readable.from(guarded(inUtf8(source, encoding), parser)), parser, () => {});
  let headers: string[] | undefined;
  let place = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      requireFew(parser.info.records - 1);
      // Not left to the parser, which does not count them: see `guarded`.
      if (cells.every((cell) => cell.trim() === '')) continue;
      const read = cells.map((cell) => decoded(cell, encoding));
      const texts = read.map(({ text }) => text);
      if (headers === undefined) {
        if (texts.length > maxColumns) throw new UnreadableFile(`the file must have at most ${maxColumns} columns`);
        headers = headersOf(texts);
        onHeaders(headers);
        continue;
      }
      place += 1;
      const known = headers;
      const isWide = texts.slice(known.length).some((text) => text.trim() !== '');
      const error = read.some(({ isBroken }) => isBroken)
        ? outside(encoding)
        : isWide
          ? `the row has ${texts.length} cells, and the first row ${known.length}: put cells with the delimiter in quotes`
          : null;
      yield {
        place,
        values: valuesOf(known, texts),
        error,
        source: texts,
      };
    }
  } catch (error) {
    throw readableError(error, place);
  }
}

/** Returns the cells that have something, by their headers: a file can have far more cells than bytes in them. */
function valuesOf(headers: readonly string[], cells: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  for (const [index, cell] of cells.entries()) {
    const header = headers[index];
    if (cell !== '' && header !== undefined) values.set(header, cell);
  }
  return values;
}

function readableError(error: unknown, place: number): unknown {
  const { code } = error as { code?: string };
  if (code !== 'CSV_QUOTE_NOT_CLOSED') return error;
  return new UnreadableFile(`the row after row ${place} opens a quote that nothing closes: close it`);
}

/** Passes the bytes of a file to the parser, until a row is too long. */
async function* guarded(
  source: AsyncIterable<Buffer>,
  { info }: { info: { readonly records: number; readonly empty_lines: number } },
): AsyncGenerator<Buffer> {
  let seen = 0;
  let bytes = 0;
  for await (const chunk of source) {
    const passed = info.records + info.empty_lines;
    if (passed > seen) bytes = 0;
    seen = passed;
    bytes += chunk.length;
    if (bytes > maxRowBytes + 65_536)
      throw new UnreadableFile(`row ${Math.max(1, info.records)} ${tooLong}: is a quote left open?`);
    yield chunk;
  }
}

async function* jsonRows(source: AsyncIterable<Buffer>, { encoding }: KnownForm): AsyncGenerator<SourceRow> {
  let place = 0;
  let lines = 0;
  for await (const line of linesOf(inUtf8(source, encoding))) {
    lines += 1;
    requireFew(lines);
    if (line !== undefined && line.trim() === '') continue;
    place += 1;
    yield jsonRow(place, line, encoding);
  }
}

function jsonRow(place: number, line: string | undefined, encoding: KnownForm['encoding']): SourceRow {
  const row = { place, values: new Map<string, unknown>() };
  if (line === undefined) return { ...row, error: `the line ${tooLong}`, source: '' };
  const { text, isBroken } = decoded(line.trim(), encoding);
  if (isBroken) return { ...row, error: outside(encoding), source: text };
  try {
    const value: unknown = JSON.parse(text);
    if (isTooDeep(value))
      return { ...row, error: `the line is nested deeper than ${maxLevels} levels: make it flatter`, source: text };
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { place, values: membersOf(value), error: null, source: text };
  } catch {
    // Said below.
  }
  return { ...row, error: 'the line must be one JSON object', source: text };
}

/** Members of custom fields and metadata also have a name of their own: `fields.size`. */
const opened = ['fields', 'metadata'];

function membersOf(value: object): Map<string, unknown> {
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of opened) {
    const inner = members.get(name);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue;
    for (const [key, one] of Object.entries(inner))
      if (!members.has(`${name}.${key}`)) members.set(`${name}.${key}`, one);
  }
  return members;
}

/** Yields the lines of UTF-8 as Latin-1; undefined for one that is too long. */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const taken = () => {
    const line = bytes > maxRowBytes ? undefined : Buffer.concat(parts).toString('latin1');
    parts = [];
    bytes = 0;
    return line;
  };
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxRowBytes) parts.push(part);
    else parts = [];
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end));
      yield taken();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) yield taken();
}
