import * as v from 'valibot';
import { exportFormats, exportObjects } from '#lib/core/choices.ts';
import { dayMs, epochSeconds } from '#lib/core/clock.ts';
import {
  choice,
  count,
  id,
  idInput,
  listInput,
  openChoice,
  paging,
  queryText,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { Filter } from '#lib/core/search-body.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity, type Item } from '#lib/table/entity.ts';

const statuses = ['queued', 'running', 'completed', 'failed'] as const;

const shown = {
  id: id(),
  object: openChoice(exportObjects),
  format: openChoice(exportFormats),
  status: storedChoice(statuses),
  rows: v.nullable(count()),
  sizeBytes: v.nullable(count()),
  error: v.nullable(v.string()),
  createdAt: time(),
  startedAt: v.nullable(time()),
  completedAt: v.nullable(time()),
  expiresAt: v.nullable(time()),
};

/** A file of all records of an object that fit (revision 1.4, section 34). */
export const DataExport = v.pipe(v.object({ ...shown, url: v.nullable(v.string()) }), v.title('Export'));

const maxColumns = 200;

export const CreateDataExport = v.pipe(
  v.object({
    object: choice(exportObjects),
    format: choice(exportFormats),
    q: v.optional(queryText()),
    filter: v.optional(v.nullable(Filter)),
    viewId: v.optional(v.nullable(idInput())),
    columns: v.optional(listInput(v.pipe(v.string(), v.trim(), v.examples(['name'])), maxColumns, 'columns')),
    archived: v.optional(v.union([v.boolean(), v.literal('all')], 'must be one of false, true, "all"'), false),
  }),
  v.title('CreateExport'),
);
export type CreateDataExport = v.InferOutput<typeof CreateDataExport>;

export const DataExportQuery = v.object(paging);

/** The file is kept for a day, and its row for as long as somebody may ask why there is none. */
export const fileMs = dayMs;
const keptMs = 7 * dayMs;

/** Limit of exports of an environment that are not ended. */
export const maxUnfinished = 100;

/** An export of the records of an object. Its timer is for its turn, and for when one that is running should long have ended. */
export const DataExports = entity({
  name: 'data-export',
  schema: v.object({
    ...shown,
    object: storedChoice(exportObjects),
    format: storedChoice(exportFormats),
    /** Words that all must be found, as in searches. */
    q: v.exactOptional(v.string()),
    /** JSON of the filters that all must hold. */
    filters: v.string(),
    /** None: all. */
    columns: v.array(v.string()),
    archived: v.union([v.boolean(), v.literal('all')]),
    /** Scopes by which it was read: a caller without one of them does not get it. */
    scopes: v.array(v.string()),
    /** When it has its turn. */
    dueAt: v.string(),
    /** Until when a worker has it in hand. */
    leasedUntil: v.nullable(v.string()),
    /** Number of workers that began it. */
    tries: count(),
    /** Its file in the bucket. */
    key: v.nullable(v.string()),
  }),
  indexes: { unfinished: ({ status }) => isUnfinished({ status }) },
  timer: (row, tenant) =>
    isUnfinished(row)
      ? {
          at: row.leasedUntil ?? row.dueAt,
          queue: 'exports' as const,
          message: { exportId: row.id },
          group: tenantKey(tenant),
        }
      : null,
  expiresAtSeconds: ({ createdAt }) => epochSeconds(new Date(Date.parse(createdAt) + keptMs)),
});
export type StoredDataExport = Item<typeof DataExports>;

const isUnfinished = ({ status }: { status: string }) => status === 'queued' || status === 'running';
