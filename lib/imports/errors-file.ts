import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { storeFile } from '#lib/files/bucket.ts';
import { importErrorsKey } from '#lib/files/keys.ts';
import { withLocalFile } from '#lib/files/spool.ts';
import { writeCell } from '#lib/sheets/cells.ts';
import { csvLines } from '#lib/sheets/csv.ts';
import { bytesOf, type KnownForm, rowsOf, type SourceRow } from './rows.ts';
import type { Run } from './run.ts';

const errorColumn = 'error';

/** Stores the rows that failed, each with all its columns and why, so that they can be corrected and imported again. */
export async function writeErrors(run: Run, path: string, form: KnownForm): Promise<void> {
  await withLocalFile(async (errors) => {
    await pipeline(Readable.from(linesOf(run, path, form)), createWriteStream(errors));
    const { size } = await stat(errors);
    await storeFile(importErrorsKey(run.tenant, run.row.id), errors, size);
  });
}

async function* linesOf(run: Run, path: string, form: KnownForm): AsyncGenerator<string> {
  const failed = run.rows({ ascending: true });
  let headers: readonly string[] = [];
  let isFirst = true;
  let next = await nextFailed(failed);
  for await (const row of rowsOf(bytesOf(path), form, (names) => (headers = names))) {
    if (next === undefined) return;
    if (row.place !== next.row) continue;
    const error = String(next.error);
    if (form.format === 'ndjson') yield `${lineWith(row, error)}\n`;
    else {
      const isMapped = run.row.mapping.some(({ header }) => header === errorColumn);
      // The column of an earlier errors file gives its place to the new one.
      const left = isMapped ? -1 : headers.indexOf(errorColumn);
      const kept = (cells: readonly string[]) =>
        headers.map((_, index) => cells[index] ?? '').filter((_, index) => index !== left);
      if (isFirst) yield `\ufeff${csvLine([...kept(headers), errorColumn], form)}`;
      yield csvLine([...kept(row.source as readonly string[]), error], form);
    }
    isFirst = false;
    next = await nextFailed(failed);
  }
}

async function nextFailed(rows: ReturnType<Run['rows']>) {
  for (let { value, done } = await rows.next(); !done; { value, done } = await rows.next())
    if (value.outcome === 'failed') return value;
  return undefined;
}

const csvLine = (cells: readonly string[], { delimiter }: KnownForm) =>
  csvLines([cells.map(safeCell)], delimiter ?? undefined);

/** A cell that is guarded already stays as it is. */
const safeCell = (cell: string) => (cell.startsWith("'") ? cell : writeCell('text', cell));

function lineWith({ source }: SourceRow, error: string): string {
  const line = String(source);
  const member = `"${errorColumn}":${JSON.stringify(error)}`;
  if (!line.startsWith('{') || !line.endsWith('}')) return `{"line":${JSON.stringify(line)},${member}}`;
  // Not written anew: it may be nested deeper than that goes.
  const inner = line.slice(1, -1).trim();
  return inner === '' ? `{${member}}` : `{${inner},${member}}`;
}
