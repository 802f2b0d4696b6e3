import type * as v from 'valibot';
import { type Caller, requireScope } from '#lib/core/caller.ts';
import { type ExportFormat, fieldObjectOf } from '#lib/core/choices.ts';
import { conflict, invalidField, invalidFields, notFound } from '#lib/core/problem.ts';
import type { Scope } from '#lib/core/scopes.ts';
import {
  type CreateDataExport,
  type DataExport,
  type DataExportQuery,
  DataExports,
  maxUnfinished,
  type StoredDataExport,
} from '#lib/entities/data-export.ts';
import { maxFilterBytes } from '#lib/entities/view.ts';
import { ownKey } from '#lib/files/keys.ts';
import { download } from '#lib/files/store.ts';
import { readQuestion } from '#lib/search/question.ts';
import { viewFor } from '#lib/search/views.ts';
import { isRecordObject } from '#lib/sheets/columns.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { countReadUnits } from '#lib/table/usage.ts';
import { columnsFor } from './columns.ts';
import { filteredBy, scopesFor } from './objects.ts';

type Shown = v.InferOutput<typeof DataExport>;

/** A file is written after its call, and counts as so many read units in the minute of its key. */
const unitsOfExport = 2_000;

/**
 * Has a worker write all records of an object that fit to a file. Raises 400 for what a search would refuse and for an unknown column,
 * 409 above the limit.
 */
export async function createDataExport(
  tx: UnitOfWork,
  caller: Caller,
  { object, format, q, filter, viewId, columns = [], archived }: CreateDataExport,
): Promise<Shown> {
  const filters = await filtersOf(tx, caller, { object, q, filter, viewId, archived });
  const [question, chosen, unfinished] = await Promise.all([
    readQuestion(tx, filteredBy(object), { filters, sort: [], at: tx.now }),
    columnsFor(tx, object, columns),
    listPage(tx, DataExports, { where: { unfinished: true }, limit: maxUnfinished }),
  ]);
  const wrong = [...question.wrong, ...chosen.wrong];
  if (wrong.length > 0) throw invalidFields(wrong);
  if (unfinished.items.length >= maxUnfinished)
    throw conflict('limit_reached', `an environment has at most ${maxUnfinished} exports under way: wait for them`, {
      limit: maxUnfinished,
    });
  tx.afterwards(async () => countReadUnits(unitsOfExport));
  const row = tx.create(DataExports, {
    id: await tx.nextId(DataExports),
    ...{ object, format, columns, archived },
    status: 'queued',
    ...{ rows: null, sizeBytes: null, error: null },
    ...{ createdAt: tx.now, startedAt: null, completedAt: null, expiresAt: null },
    ...(q !== undefined && { q }),
    filters: JSON.stringify(filters),
    scopes: scopesFor(object, caller.scopes),
    ...{ dueAt: tx.now, leasedUntil: null, tries: 0, key: null },
  });
  return { ...row, url: null };
}

/** Returns the filters that all must hold: that of the view and that of the call. Raises 400. */
async function filtersOf(
  tx: UnitOfWork,
  caller: Caller,
  { object, q, filter, viewId, archived }: Omit<CreateDataExport, 'format' | 'columns'>,
): Promise<unknown[]> {
  if (Buffer.byteLength(JSON.stringify(filter ?? null)) > maxFilterBytes)
    throw invalidField('filter', 'too_long', `filter must have at most ${maxFilterBytes} bytes of JSON`);
  const given = [filter].filter((one) => one !== undefined && one !== null);
  if (isRecordObject(object)) {
    if (viewId === undefined || viewId === null) return given;
    const view = await viewFor(tx, caller, fieldObjectOf[object], viewId);
    return view.filter === null ? given : [view.filter, ...given];
  }
  if (viewId !== undefined && viewId !== null)
    throw invalidField('viewId', 'not_allowed', `viewId is not for ${object}, which have no views: use filter`);
  if (q !== undefined) throw invalidField('q', 'not_allowed', `q is not for ${object}: use filter`);
  if (archived !== false)
    throw invalidField(
      'archived',
      'not_allowed',
      `archived is not for ${object}, which are never archived: leave it out`,
    );
  return given;
}

const isReadable = ({ scopes }: StoredDataExport, caller: Caller) =>
  scopes.every((scope) => caller.scopes.includes(scope as Scope));

/** Returns one page of the exports that the caller may read, newest first. */
export async function listDataExports(
  tx: UnitOfWork,
  caller: Caller,
  { after, limit }: v.InferOutput<typeof DataExportQuery>,
): Promise<Page<Shown>> {
  const page = await listPage(tx, DataExports, { after, limit, matches: (row) => isReadable(row, caller) });
  return { ...page, items: await Promise.all(page.items.map((row) => toView(tx, row))) };
}

const findExport = (tx: UnitOfWork, id: number): Promise<StoredDataExport> =>
  tx.get(DataExports, { id }, () => notFound('export'));

/** Returns an export; a completed one has a URL as long as its file is kept. Raises 404. */
export const getDataExport = async (tx: UnitOfWork, id: number): Promise<Shown> => toView(tx, await findExport(tx, id));

/** Raises 404, and 403 where the caller lacks a scope by which the export was read. */
export async function permitDataExport({
  tx,
  caller,
  params: { id },
}: {
  tx: UnitOfWork;
  caller: Caller;
  params: { readonly id: number };
}): Promise<void> {
  for (const scope of (await findExport(tx, id)).scopes) requireScope({ scope: scope as Scope }, caller);
}

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

async function toView(tx: UnitOfWork, row: StoredDataExport): Promise<Shown> {
  const { object, format, createdAt, expiresAt } = row;
  const key = ownKey(tx.tenant, row.key);
  if (row.status !== 'completed' || key === null || expiresAt === null || expiresAt <= tx.now)
    return { ...row, url: null };
  const fileName = `${object}-${createdAt.slice(0, 10)}.${format}`;
  const { url } = await download(tx, key, { fileName, contentType: contentTypes[format] });
  return { ...row, url };
}
