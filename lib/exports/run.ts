import { minuteMs, now, secondMs, shifted, timestamp } from '#lib/core/clock.ts';
import type { FieldError } from '#lib/core/problem.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { exportTimeoutSeconds } from '#lib/core/timeouts.ts';
import { DataExports, fileMs, maxUnfinished, type StoredDataExport } from '#lib/entities/data-export.ts';
import { removeFiles } from '#lib/files/bucket.ts';
import { dataExportKey } from '#lib/files/keys.ts';
import { storeStream } from '#lib/files/spool.ts';
import { readQuestion } from '#lib/search/question.ts';
import type { Shown } from '#lib/sheets/columns.ts';
import { listPage } from '#lib/table/list.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { columnsFor } from './columns.ts';
import { csvOf } from './csv.ts';
import { ndjsonOf } from './ndjson.ts';
import { filteredBy, wordsIn } from './objects.ts';
import { parquetOf } from './parquet.ts';
import { recordsFor } from './sources.ts';

/** The worker gives up before it. */
const leaseMs = (exportTimeoutSeconds + 10) * secondMs;
const readMs = (exportTimeoutSeconds - 90) * secondMs;
/** Between two words on how far it is. */
const tellMs = 2 * secondMs;
const maxTries = 3;
const retryMs = minuteMs;
/** An export that waits for others looks again after it; mostly the one before it calls it earlier. */
const waitMs = minuteMs;

/** Limits of one export. */
interface Limits {
  readMs: number;
  maxBytes: number;
}

/** One upload, from the disk of the worker (`diskMb`). */
const limits: Limits = { readMs, maxBytes: 2_000_000_000 };

/** Why an export has no file: what is wrong, and what to do. */
class Unwritable extends Error {}

type Written = { rows: number; sizeBytes: number } | { error: string };

/** Writes the file of an export that has its turn. One that has ended, or is in other hands, is left alone. */
export async function runDataExport(tenant: Tenant, id: number, bounds: Limits = limits): Promise<void> {
  const row = await transact(tenant, system, (tx) => take(tx, id));
  if (row === undefined) return;
  const written = await write(tenant, row, bounds).catch(async (error: unknown) => {
    if (error instanceof Unwritable) return { error: error.message };
    await transact(tenant, system, (tx) => putBack(tx, row));
    throw error;
  });
  const isKept = await transact(tenant, system, (tx) => end(tx, row, written));
  if (!isKept) await removeFiles([row.key]);
}

type Taken = StoredDataExport & { key: string };

/** Takes an export that is due; the oldest of an environment goes first, and the others wait. */
async function take(tx: UnitOfWork, id: number): Promise<Taken | undefined> {
  const row = await tx.find(DataExports, { id });
  if (row === undefined || (row.status !== 'queued' && row.status !== 'running')) return undefined;
  if ((row.leasedUntil ?? row.dueAt) > tx.now) return undefined;
  const others = await unfinished(tx);
  if (others.some((other) => other.id < id)) {
    tx.update(DataExports, { ...row, status: 'queued', dueAt: shifted(tx.now, waitMs), leasedUntil: null });
    return undefined;
  }
  const { key } = row;
  if (key !== null) tx.afterwards(() => removeFiles([key]));
  if (row.tries === maxTries) {
    await settle(tx, { ...row, status: 'failed', key: null, rows: null, error: unwritten });
    return undefined;
  }
  return tx.update(DataExports, {
    ...row,
    status: 'running',
    startedAt: tx.now,
    leasedUntil: timestamp(new Date(now() + leaseMs)),
    tries: row.tries + 1,
    rows: null,
    key: dataExportKey(tx.tenant, id),
  }) as Taken;
}

const unwritten = `the file could not be written in ${maxTries} attempts: export fewer columns or records, or try again later`;

const unfinished = async (tx: UnitOfWork): Promise<StoredDataExport[]> =>
  (await listPage(tx, DataExports, { where: { unfinished: true }, limit: maxUnfinished })).items;

async function write(tenant: Tenant, row: Taken, { readMs, maxBytes }: Limits): Promise<Written> {
  const { object, format, archived } = row;
  const endsAtMs = now() + readMs;
  const tx = UnitOfWork.forAnswer(tenant, system);
  const [{ predicates, wrong }, chosen] = await Promise.all([
    readQuestion(tx, filteredBy(object), { filters: JSON.parse(row.filters), sort: [], at: row.createdAt }),
    columnsFor(tx, object, row.columns),
  ]);
  const [first] = [...wrong, ...chosen.wrong] as [FieldError?];
  if (first !== undefined) throw new Unwritable(`${first.message}: it was there when the export was asked for`);
  const { columns } = chosen;
  const hasWords = wordsIn(object, row.q);
  const pages = recordsFor(object, {
    tenant,
    actor: system,
    scopes: row.scopes,
    archived: String(archived) as `${typeof archived}`,
    matches: (record: never) => hasWords(record) && predicates.every((one) => one(record, row.createdAt)),
  });
  let rows = 0;
  let toldAtMs = now();
  async function* counted(): AsyncGenerator<Shown[]> {
    for await (const records of pages) {
      if (now() > endsAtMs)
        throw new Unwritable(
          `the export took longer than ${readMs / minuteMs} minutes: export fewer records by a filter`,
        );
      rows += records.length;
      if (now() > toldAtMs + tellMs) {
        toldAtMs = now();
        await transact(tenant, system, (tx) => tell(tx, row, rows));
      }
      yield records;
    }
  }
  const isWhole = row.columns.length === 0;
  const bytes = {
    csv: () => csvOf(columns, counted()),
    ndjson: () => ndjsonOf(isWhole ? undefined : columns, counted()),
    parquet: () => parquetOf(columns, counted()),
  }[format]();
  const sizeBytes = await storeStream(row.key, bytes, maxBytes);
  if (sizeBytes === undefined)
    throw new Unwritable(`the file is larger than ${maxBytes} bytes: export fewer columns or records`);
  return { rows, sizeBytes };
}

/** Says how many rows are written so far. */
async function tell(tx: UnitOfWork, taken: Taken, rows: number): Promise<void> {
  const row = await tx.find(DataExports, { id: taken.id });
  if (row?.key === taken.key) tx.update(DataExports, { ...row, rows });
}

/** Gives an export back whose attempt failed for a reason that may pass. */
async function putBack(tx: UnitOfWork, taken: Taken): Promise<void> {
  const row = await tx.find(DataExports, { id: taken.id });
  if (row?.key !== taken.key) return;
  tx.update(DataExports, { ...row, status: 'queued', dueAt: shifted(tx.now, retryMs), leasedUntil: null });
}

/** Ends an export, unless it was taken from this attempt meanwhile. Returns whether its file is kept. Emits export.completed. */
async function end(tx: UnitOfWork, taken: Taken, written: Written): Promise<boolean> {
  const row = await tx.find(DataExports, { id: taken.id });
  if (row?.key !== taken.key) return false;
  if ('error' in written) {
    await settle(tx, { ...row, status: 'failed', key: null, rows: null, error: written.error });
    return false;
  }
  await settle(tx, { ...row, ...written, status: 'completed', expiresAt: shifted(tx.now, fileMs) });
  tx.emit({
    kind: 'export.completed',
    subject: `export/${row.id}`,
    data: { export_id: String(row.id), object: row.object, rows: written.rows },
  });
  return true;
}

/** Writes down how an export has ended, and calls the next one. What it was asked for may name persons, and goes. */
async function settle(tx: UnitOfWork, { q: _, ...row }: StoredDataExport): Promise<void> {
  tx.update(DataExports, { ...row, filters: '[]', leasedUntil: null, completedAt: tx.now });
  const waiting = (await unfinished(tx)).filter(({ id, leasedUntil }) => id !== row.id && leasedUntil === null);
  const next = waiting.at(-1);
  if (next && next.dueAt > tx.now && next.tries === 0) tx.update(DataExports, { ...next, dueAt: tx.now });
}
