import * as v from 'valibot';
import { importObjects, importStatuses } from '#lib/core/choices.ts';
import { dayMs, epochSeconds } from '#lib/core/clock.ts';
import { choice, count, id, idInput, openChoice, paging, reading, storedChoice, time } from '#lib/core/schema.ts';
import { type Actor, tenantKey } from '#lib/core/tenant.ts';
import { entity, type Item } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';

const formats = ['csv', 'ndjson'] as const;
const encodings = ['utf-8', 'utf-16', 'windows-1252'] as const;
export const delimiters = [',', ';', '\t', '|'] as const;
const conflicts = ['skip', 'update', 'fail'] as const;
const creatables = ['tags', 'options', 'companies'] as const;

/** How the bytes of a file are read. */
export interface FileForm {
  format: (typeof formats)[number];
  /** Null until the whole file was looked through. */
  encoding: (typeof encodings)[number] | null;
  /** Null of NDJSON. */
  delimiter: (typeof delimiters)[number] | null;
}

const form = {
  format: v.optional(choice(formats)),
  encoding: v.optional(choice(encodings)),
  /** A tab is white space, which other choices are trimmed of. */
  delimiter: v.optional(v.picklist(delimiters, 'must be one of a comma, a semicolon, a tab, and |')),
};
export type GivenForm = { [Name in keyof typeof form]?: v.InferOutput<(typeof form)[Name]> };

const source = { fileId: idInput(), object: choice(importObjects), ...form };

export const PreviewImport = v.pipe(v.object(source), v.title('PreviewImport'));

/** Facts of a file before its rows are taken in. */
export const ImportPreview = v.pipe(
  v.object({
    format: storedChoice(formats),
    encoding: storedChoice(encodings),
    delimiter: v.nullable(v.string()),
    rows: count(),
    columns: v.array(
      v.pipe(
        v.object({ header: v.string(), samples: v.array(v.string()), suggested: v.nullable(v.string()) }),
        v.title('ImportColumn'),
      ),
    ),
  }),
  v.title('ImportPreview'),
);

/** Limit of the columns of a file, and so of a mapping. */
export const maxColumns = 500;

const mapping = () =>
  v.pipe(
    v.record(v.string(), v.nullable(v.string())),
    v.check((map) => Object.keys(map).length <= maxColumns, `must have at most ${maxColumns} headers`),
    v.examples([{ Name: 'name', 'E-mail': 'email', 'Customer no.': 'metadata.number' }]),
  );

export const CreateImport = v.pipe(
  v.object({
    ...source,
    mapping: mapping(),
    matchOn: v.optional(
      reading(v.pipe(v.string(), v.examples(['email', 'metadata.externalId'])), (value) =>
        typeof value === 'string' ? value.trim() || undefined : value,
      ),
    ),
    onConflict: v.optional(choice(conflicts), 'skip'),
    createMissing: v.optional(v.array(choice(creatables)), []),
    dryRun: v.optional(v.boolean(), false),
    silent: v.optional(v.boolean(), false),
  }),
  v.title('CreateImport'),
);
export type CreateImport = v.InferOutput<typeof CreateImport>;

/** Numbers of rows by what became of them. */
const counts = { processed: count(), created: count(), updated: count(), skipped: count(), failed: count() };
/** Numbers of records by what an undo did to them. */
const undone = { archived: count(), restored: count(), kept: count() };

const shown = {
  id: id(),
  object: openChoice(importObjects),
  fileName: v.string(),
  status: openChoice(importStatuses),
  dryRun: v.boolean(),
  total: v.nullable(count()),
  ...counts,
  ...undone,
  error: v.nullable(v.string()),
  createdAt: time(),
  startedAt: v.nullable(time()),
  completedAt: v.nullable(time()),
  undoUntil: v.nullable(time()),
};

/** A file whose rows become records (revision 1.4, section 34). */
export const Import = v.pipe(v.object({ ...shown, errorsUrl: v.nullable(v.string()) }), v.title('Import'));

export const ImportQuery = v.object(paging);

/** A file that is taken in, or was. Its timer runs while a worker has something to do for it. */
export const Imports = entity({
  name: 'import',
  schema: v.object({
    ...shown,
    object: storedChoice(importObjects),
    status: storedChoice(importStatuses),
    /** Where the bytes are in the bucket. */
    key: v.string(),
    format: storedChoice(formats),
    encoding: v.nullable(storedChoice(encodings)),
    delimiter: v.nullable(storedChoice(delimiters)),
    mapping: v.array(v.object({ header: v.string(), field: v.string() })),
    matchOn: v.nullable(v.string()),
    onConflict: storedChoice(conflicts),
    createMissing: v.array(storedChoice(creatables)),
    isSilent: v.boolean(),
    actor: v.custom<Actor>((actor) => typeof actor === 'object'),
    /** Work that is left: rows, or the undoing of rows. */
    work: v.nullable(storedChoice(['rows', 'undo'])),
    /** It waits for another one of its environment to end. */
    isWaiting: v.boolean(),
    /** Rows up to this one are done, or those above it undone. */
    place: count(),
    /** Rows that the last run found done, in whatever order. */
    reached: count(),
    hasErrors: v.boolean(),
    nextRunAt: v.nullable(v.string()),
    leasedUntil: v.nullable(v.string()),
    runBy: v.exactOptional(v.string()),
    /** Runs since its last progress. */
    tries: count(),
  }),
  indexes: { waiting: ({ isWaiting }) => isWaiting },
  timer: ({ id, work, isWaiting, leasedUntil, nextRunAt }, tenant) => {
    const at = leasedUntil ?? nextRunAt;
    return work !== null && !isWaiting && at !== null
      ? { at, queue: 'imports', message: { importId: id }, group: tenantKey(tenant) }
      : null;
  },
});
export type StoredImport = Item<typeof Imports>;

/** The import of an environment that is at work: others wait for it. */
export const TurnsOfImports = entity({
  name: 'import-turn',
  schema: v.object({ id: v.literal(1), importId: v.nullable(id()) }),
});

/** Longer than an import may run and be undone together. */
const keptMs = 2 * dayMs;

/** A row of a file that was taken in: its outcome, and what an undo needs. */
export const ImportRows = entity({
  name: 'import-row',
  schema: v.object({
    importId: id(),
    row: count(),
    outcome: storedChoice(['created', 'updated', 'failed']),
    /** The record; for a note that a deal holds, the deal. */
    recordId: v.exactOptional(id()),
    /** The kind of the record that a note is of. */
    of: v.exactOptional(storedChoice(['contact', 'company', 'deal'])),
    /** The entry of a history. */
    noteId: v.exactOptional(id()),
    /** The changed values before and after, by name, as JSON. */
    changes: v.exactOptional(v.string()),
    at: v.string(),
    error: v.exactOptional(v.string()),
    undone: v.exactOptional(storedChoice(['archived', 'restored', 'kept'])),
    /** Some of its values are restored, and others kept. */
    isPartlyKept: v.exactOptional(v.boolean()),
    undoneAt: v.exactOptional(v.string()),
  }),
  within: 'import/{importId}/row',
  sortKey: ({ row }) => sortableId(row),
  expiresAtSeconds: ({ at }) => epochSeconds(new Date(Date.parse(at) + keptMs)),
});
export type ImportRow = Item<typeof ImportRows>;
