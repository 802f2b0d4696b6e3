import type * as v from 'valibot';
import type { Caller } from '#lib/core/caller.ts';
import { hourMs, shifted } from '#lib/core/clock.ts';
import { conflict, invalidField, notFound } from '#lib/core/problem.ts';
import { type CreateImport, type Import, Imports, type StoredImport, TurnsOfImports } from '#lib/entities/import.ts';
import { importErrorsKey } from '#lib/files/keys.ts';
import { download, importFile } from '#lib/files/store.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { countReadUnits } from '#lib/table/usage.ts';
import { openFields, requireMapping, requireMatchOn } from './mapping.ts';
import { maySeeRows } from './permit.ts';
import { headersIn } from './preview.ts';
import { beginningOf } from './source.ts';

type Shown = v.InferInput<typeof Import>;

/** How long an import can be undone, and its errors are kept. */
export const undoMs = 24 * hourMs;

/** Returns the import as it is stored. Raises 404. */
export const requireImport = (tx: UnitOfWork, id: number): Promise<StoredImport> =>
  tx.get(Imports, { id }, () => notFound('import'));

/** Returns the import. Raises 404. Needs `read-export-files`. */
export const getImport = async (tx: UnitOfWork, caller: Caller, id: number): Promise<Shown> =>
  show(tx, caller, await requireImport(tx, id));

/** Returns one page of the imports, newest first. Needs `read-export-files`. */
export async function listImports(
  tx: UnitOfWork,
  caller: Caller,
  query: { after?: number | undefined; limit: number },
): Promise<Page<Shown>> {
  const page = await listPage(tx, Imports, query);
  return { ...page, items: await Promise.all(page.items.map((row) => show(tx, caller, row))) };
}

/** Rows that failed are for who may change such records. */
async function show(tx: UnitOfWork, caller: Caller, row: StoredImport): Promise<Shown> {
  const { completedAt, hasErrors } = row;
  const isKept = hasErrors && completedAt !== null && completedAt > shifted(tx.now, -undoMs);
  if (!isKept || !maySeeRows(caller, row)) return { ...row, errorsUrl: null };
  const extension = row.format === 'csv' ? 'csv' : 'ndjson';
  const file = {
    fileName: `errors-of-import-${row.id}.${extension}`,
    contentType: row.format === 'csv' ? 'text/csv' : 'application/x-ndjson',
  };
  return { ...row, errorsUrl: (await download(tx, importErrorsKey(tx.tenant, row.id), file)).url };
}

/** Limit of imports of an environment that are not ended. */
const maxUnfinished = 20;
/** Rows are taken in after the call, and count as so many read units in the minute of its key. */
const unitsOfImport = 2_000;

/** Has a worker take in the rows of a file. Raises 400, 409 above the limit. Needs `read-files`. */
export async function createImport(
  tx: UnitOfWork,
  caller: Caller,
  { fileId, object, format, encoding, delimiter, ...input }: CreateImport,
): Promise<Shown> {
  const mapping = Object.entries(input.mapping).flatMap(([header, field]) =>
    field === null || field.trim() === '' ? [] : [{ header, field: field.trim() }],
  );
  const [file, fields] = await Promise.all([importFile(tx, fileId), openFields(tx, object)]);
  requireMapping(object, mapping, fields);
  if (input.matchOn !== undefined) requireMatchOn(object, input.matchOn, mapping, fields);
  const { bytes, form, isWhole } = await beginningOf(file, { format, encoding, delimiter });
  if (form.format === 'csv') {
    const headers = await headersIn(bytes, form, isWhole);
    for (const { header } of mapping)
      if (!headers.includes(header))
        throw invalidField(
          `mapping.${header}`,
          'unknown_reference',
          `mapping.${header} is no column of the file: see POST /v1/imports/preview`,
        );
  }
  const isWaiting = !(await takeTurn(tx, undefined));
  if (isWaiting) await requireRoom(tx);
  tx.afterwards(async () => countReadUnits(unitsOfImport));
  const row: StoredImport = {
    id: await tx.nextId(Imports),
    object,
    fileName: file.fileName,
    status: 'queued',
    dryRun: input.dryRun,
    total: null,
    ...{ processed: 0, created: 0, updated: 0, skipped: 0, failed: 0, archived: 0, restored: 0, kept: 0 },
    ...{ error: null, createdAt: tx.now, startedAt: null, completedAt: null, undoUntil: null },
    ...form,
    key: file.key,
    mapping,
    matchOn: input.matchOn ?? null,
    onConflict: input.onConflict,
    createMissing: input.createMissing,
    isSilent: input.silent,
    actor: tx.actor,
    ...{ work: 'rows', place: 0, reached: 0, hasErrors: false, nextRunAt: tx.now, leasedUntil: null, tries: 0 },
    isWaiting,
  };
  const created = tx.create(Imports, row);
  if (!isWaiting) await giveTurn(tx, row.id);
  return show(tx, caller, created);
}

/** Raises 409 where as many wait as may, beside the one that is at work. */
async function requireRoom(tx: UnitOfWork): Promise<void> {
  const { items } = await listPage(tx, Imports, { where: { waiting: true }, limit: maxUnfinished });
  if (items.length < maxUnfinished - 1) return;
  throw conflict(
    'limit_reached',
    `an environment has at most ${maxUnfinished} imports under way: wait for them, or cancel one`,
    { limit: maxUnfinished },
  );
}

/** Whether no other import of the environment is at work. */
async function takeTurn(tx: UnitOfWork, id: number | undefined): Promise<boolean> {
  const turn = await tx.find(TurnsOfImports, { id: 1 });
  return turn?.importId == null || turn.importId === id;
}

async function giveTurn(tx: UnitOfWork, importId: number | null): Promise<void> {
  const turn = await tx.find(TurnsOfImports, { id: 1 });
  if (turn) tx.update(TurnsOfImports, { ...turn, importId });
  else tx.create(TurnsOfImports, { id: 1, importId });
}

/** Lets the next import begin that waits, if the one that ends is at work. */
export async function passTurn(tx: UnitOfWork, ended: number): Promise<void> {
  const turn = await tx.find(TurnsOfImports, { id: 1 });
  if (turn?.importId !== ended) return;
  const next = await firstIndexed(tx, Imports, { waiting: true }, ({ id }) => id !== ended);
  if (next) tx.update(Imports, { ...next, isWaiting: false, nextRunAt: tx.now });
  await giveTurn(tx, next?.id ?? null);
}

/** Stops an import after the rows in hand; what is done stays. Raises 404, 409 `import_over`. Needs `read-export-files`. */
export async function cancelImport(tx: UnitOfWork, caller: Caller, id: number): Promise<Shown> {
  const row = await requireImport(tx, id);
  if (row.status !== 'queued' && row.status !== 'running') throw over('the import has ended: undo it instead');
  // One that is at work ends with its worker, which counts and writes the errors.
  const hasBegun = row.startedAt !== null;
  const canceled = tx.update(Imports, {
    ...row,
    status: 'canceled',
    completedAt: tx.now,
    ...(!row.dryRun && row.processed > 0 && { undoUntil: shifted(tx.now, undoMs) }),
    ...(!hasBegun && { work: null, isWaiting: false }),
  });
  if (!hasBegun) await passTurn(tx, id);
  return show(tx, caller, canceled);
}

const over = (message: string) => conflict('import_over', message);

/** Has a worker undo an import. Raises 404, 409 `import_not_undoable` and `import_over`. Needs `read-export-files`. */
export async function undoImport(tx: UnitOfWork, caller: Caller, id: number): Promise<Shown> {
  const row = await requireImport(tx, id);
  const { status, dryRun, undoUntil, processed } = row;
  if (status === 'undone') throw over('the import is undone already');
  const isAtWork = row.work !== null || status === 'undoing';
  if (isAtWork || dryRun || (status !== 'completed' && processed === 0))
    throw conflict(
      'import_not_undoable',
      isAtWork
        ? 'the import is running: cancel it, or wait until it has ended'
        : 'the import has changed nothing: there is nothing to undo',
    );
  if (undoUntil === null || undoUntil <= tx.now)
    throw over('an import can be undone for 24 hours: change or archive the records instead');
  const isWaiting = !(await takeTurn(tx, id));
  const undoing = tx.update(Imports, {
    ...row,
    ...{ status: 'undoing', work: 'undo', place: 0, tries: 0, nextRunAt: tx.now, leasedUntil: null, isWaiting },
  });
  if (!isWaiting) await giveTurn(tx, id);
  return show(tx, caller, undoing);
}
