import * as v from 'valibot';
import { copiedNouns } from '#lib/core/choices.ts';
import { count, storedChoice, time } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity, type Item } from '#lib/table/entity.ts';

/** A copy of all rows of a noun, which searches read: a Parquet file in the bucket of files. */
export const Copies = entity({
  name: 'copy',
  schema: v.object({
    noun: storedChoice(copiedNouns),
    /** Name of its file; null while there is none. */
    version: v.nullable(v.string()),
    /** The release's form of the file. */
    format: count(),
    /** Rows whose last change began before this time are in the file as they are. */
    asOf: v.nullable(time()),
    rows: count(),
    sizeBytes: count(),
    /** Bytes at the end of the file that say where its columns are. */
    footerBytes: count(),
    /** Name of the file that is being written. */
    next: v.nullable(v.string()),
    /** When the last renewal began. */
    begunAt: v.nullable(time()),
    /** When it is renewed; during a renewal when that is tried again. */
    renewAt: v.nullable(time()),
  }),
  sortKey: ({ noun }) => noun,
  timer: ({ noun, renewAt }, tenant) =>
    renewAt === null ? null : { at: renewAt, queue: 'copies', message: { noun }, group: tenantKey(tenant) },
});
export type StoredCopy = Item<typeof Copies>;
