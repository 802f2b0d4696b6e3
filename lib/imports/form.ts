import { parse } from 'csv-parse/sync';
import { invalidField } from '#lib/core/problem.ts';
import { delimiters, type FileForm, type GivenForm } from '#lib/entities/import.ts';
import { bytesInUtf8, isLittleEndian, Utf8Count } from './encoding.ts';

const refused = (what: string) => invalidField('fileId', 'invalid_format', `fileId ${what}`);

/** Beginnings of files that a spreadsheet or an archive program has made. */
const foreign = ['PK\x03\x04', '\xd0\xcf\x11\xe0', '\x1f\x8b', '%PDF', 'PAR1'];

/**
 * Returns how the bytes of a file are read, from its beginning and what the caller says. The encoding is null where the beginning is
 * ASCII, which all of them have. Raises 400 on `fileId` for what is neither CSV nor NDJSON.
 */
export function formOf(beginning: Buffer, given: GivenForm): FileForm {
  if (beginning.length === 0) throw refused('must not be empty');
  const start = beginning.subarray(0, 4).toString('latin1');
  if (foreign.some((mark) => start.startsWith(mark)))
    throw refused('must be a CSV or NDJSON file: save the sheet as CSV, and upload that');
  const encoding = given.encoding ?? encodingOf(beginning);
  const text = bytesInUtf8(beginning, encoding ?? 'utf-8');
  if (text.includes(0)) throw refused('must be a text file: save the sheet as CSV, and upload that');
  const format = given.format ?? formatOf(text);
  return { format, encoding, delimiter: format === 'ndjson' ? null : (given.delimiter ?? delimiterOf(text)) };
}

function encodingOf(bytes: Buffer): FileForm['encoding'] {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return 'utf-8';
  if (isLittleEndian(bytes) !== undefined) return 'utf-16';
  const count = new Utf8Count();
  count.add(bytes);
  return count.encoding;
}

function formatOf(text: Buffer): FileForm['format'] {
  const start = text.subarray(0, 4096).toString().trimStart();
  if (start.startsWith('[')) throw refused('must have one object a line (NDJSON), not a list of all: write it so');
  return start.startsWith('{') ? 'ndjson' : 'csv';
}

const looked = 20;

/** Returns the delimiter that parts the first rows into as many cells each, and into the most of these. */
function delimiterOf(text: Buffer): (typeof delimiters)[number] {
  const [best] = delimiters
    .map((delimiter) => ({ delimiter, columns: columnsBy(text, delimiter) }))
    .sort((a, b) => b.columns - a.columns);
  return best === undefined || best.columns < 2 ? ',' : best.delimiter;
}

/** Returns how many cells rows have by a delimiter; fewer where they differ. */
function columnsBy(text: Buffer, delimiter: string): number {
  const some = text.subarray(0, 65_536);
  const whole = some.length < text.length ? some.subarray(0, some.lastIndexOf(10) + 1 || undefined) : some;
  try {
    const rows = parse(whole, {
      ...{ delimiter, to: looked, relax_quotes: true, relax_column_count: true, skip_empty_lines: true },
      encoding: 'latin1',
    }) as string[][];
    const [header = [], ...others] = rows;
    const alike = others.filter((row) => row.length === header.length).length;
    return others.length === 0 ? header.length : header.length * ((1 + alike) / (1 + others.length));
  } catch {
    return 0;
  }
}
