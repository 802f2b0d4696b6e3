import { Readable } from 'node:stream';
import type * as v from 'valibot';
import { invalidField } from '#lib/core/problem.ts';
import { firstCharacters } from '#lib/core/text.ts';
import { type FileForm, type ImportPreview, maxColumns, type PreviewImport } from '#lib/entities/import.ts';
import { importFile } from '#lib/files/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { openFields } from './mapping.ts';
import { rowsOf, type SourceRow, UnreadableFile } from './rows.ts';
import { beginningOf } from './source.ts';
import { suggestionsFor } from './suggest.ts';

const maxSamples = 3;
const maxSampleCharacters = 100;
/** Rows of which samples are taken, and whose objects say the columns of NDJSON. */
const sampledRows = 1000;

/** Returns what is known of a file before its rows are taken in. Raises 400. Needs `read-files`. */
export async function previewImport(
  tx: UnitOfWork,
  { fileId, object, ...given }: v.InferOutput<typeof PreviewImport>,
): Promise<v.InferInput<typeof ImportPreview>> {
  const [file, fields] = await Promise.all([importFile(tx, fileId), openFields(tx, object)]);
  const { bytes, form, isWhole } = await beginningOf(file, given);
  const { headers, rows, samples } = await look(bytes, form, isWhole);
  const suggested = suggestionsFor(object, headers, fields);
  return {
    format: form.format,
    encoding: form.encoding ?? 'utf-8',
    delimiter: form.delimiter,
    rows: isWhole ? rows : Math.round((rows * file.sizeBytes) / bytes.length),
    columns: headers.map((header, index) => ({
      header,
      samples: samples.get(header) ?? [],
      suggested: suggested[index] ?? null,
    })),
  };
}

/** Returns the headers of CSV by the beginning of a file. Raises 400 on `fileId`. */
export const headersIn = async (bytes: Buffer, form: FileForm, isWhole: boolean): Promise<string[]> =>
  (await look(bytes, form, isWhole, 1)).headers;

interface Seen {
  headers: string[];
  rows: number;
  samples: Map<string, string[]>;
}

async function look(
  bytes: Buffer,
  form: FileForm,
  isWhole: boolean,
  maxRows = Number.POSITIVE_INFINITY,
): Promise<Seen> {
  const seen: Seen = { headers: [], rows: 0, samples: new Map() };
  const known = { ...form, encoding: form.encoding ?? 'utf-8' };
  try {
    const onHeaders = (headers: readonly string[]) => {
      seen.headers = [...headers];
    };
    for await (const row of rowsOf(inChunks(bytes), known, onHeaders)) {
      seen.rows += 1;
      if (seen.rows <= sampledRows) sample(seen, row, form.format === 'ndjson');
      if (seen.rows >= maxRows) break;
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    // The beginning may end within a row.
    if (isWhole || seen.rows === 0)
      throw invalidField('fileId', 'invalid_format', `fileId cannot be read: ${error.message}`);
  }
  // The last row of a beginning is most likely a part of one.
  if (!isWhole && seen.rows > 1) seen.rows -= 1;
  if (seen.headers.length > maxColumns)
    throw invalidField('fileId', 'too_many', `fileId must have at most ${maxColumns} columns`);
  return seen;
}

function sample({ headers, samples }: Seen, { values }: SourceRow, findsHeaders: boolean): void {
  for (const [header, value] of values) {
    if (findsHeaders && !headers.includes(header) && headers.length <= maxColumns) headers.push(header);
    const text = textOf(value);
    const known = samples.get(header) ?? [];
    if (text === '' || known.length >= maxSamples || known.includes(text)) continue;
    samples.set(header, [...known, text]);
  }
}

const textOf = (value: unknown) =>
  firstCharacters(
    (typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)).trim(),
    maxSampleCharacters,
  );

const inChunks = (bytes: Buffer): AsyncIterable<Buffer> =>
  Readable.from(
    (function* () {
      for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536);
    })(),
  );
