import { chunks } from '#lib/core/async.ts';
import type { CopiedNoun } from '#lib/core/choices.ts';
import { log } from '#lib/core/log.ts';
import { Problem } from '#lib/core/problem.ts';
import { entityPartition } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { CopiedRow } from './copied-row.ts';
import { archivedColumn, columnsOf, textColumn } from './copy-columns.ts';
import { readGroups } from './copy-file.ts';
import { askRenewal, findCopy, hasAll, minRows, type UsableCopy } from './copy-store.ts';
import type { CopiedRecords, SearchField } from './nouns.ts';
import { eachRow, searchTime } from './rows.ts';

/** Changed rows that are read together. */
const perRead = 400;
/** Rows of a copy between two looks at the clock. */
const rowsPerLook = 50;

/** Parts of records that a search asks for. */
export interface Columns {
  used: ReadonlySet<SearchField>;
  /** Further columns. */
  others?: readonly string[];
  /** It has a `q`. */
  hasText: boolean;
  /** Its order is that of the ids, the newest first: it ends where it has enough. */
  isByIdAlone: boolean;
  /** It passes the copy by, which could not be read. */
  isWithoutCopy: boolean;
}

/** Does the work, once more without the copy where that cannot be read: it was removed meanwhile, or the bucket is at fault. */
export async function withoutBrokenCopy<Result>(work: (isBroken: boolean) => Promise<Result>): Promise<Result> {
  try {
    return await work(false);
  } catch (error) {
    if (error instanceof Problem) throw error;
    log().warn('a copy cannot be read', error as Error);
    return work(true);
  }
}

/**
 * Shows every record of a noun to `look`, until that returns false: as a row of its copy, or of the table where that has changed since
 * or there is no copy. A row of the copy is read before `look` returns. Raises 503 after 20 seconds.
 */
export async function eachRecord(
  tx: UnitOfWork,
  noun: CopiedRecords,
  columns: Columns,
  look: (row: never) => boolean,
): Promise<void> {
  const copy = columns.isWithoutCopy ? undefined : await findCopy(tx.tenant, noun.of.name as CopiedNoun);
  if (copy && hasAll(copy, columns.used)) return eachOfCopy(tx, noun, copy, columns, look);
  let rows = 0;
  let isCutShort = true;
  try {
    await eachRow(tx, noun.of, (row: never) => {
      rows += 1;
      return look(row);
    });
    isCutShort = false;
  } finally {
    // What takes too long without a copy has one made, too.
    if (isCutShort || rows >= minRows) await askRenewal(tx.tenant, noun.of.name as CopiedNoun);
  }
}

async function eachOfCopy(
  tx: UnitOfWork,
  noun: CopiedRecords,
  { file, changed }: UsableCopy,
  { used, others = [], hasText, isByIdAlone }: Columns,
  look: (row: never) => boolean,
): Promise<void> {
  const requireTime = searchTime();
  const pk = entityPartition(tx.tenant, noun.of);
  const keys = [...changed].map((sk) => ({ pk, sk }));
  // Looked at and forgotten, as they may be many.
  const forget = (row: unknown) => {
    look(row as never);
    return false;
  };
  for (const some of chunks(keys, perRead)) {
    requireTime();
    await tx.findAllByKey(noun.of, some, forget, true);
  }
  const text = hasText ? [textColumn] : [];
  const names = ['id', archivedColumn, ...text, ...others, ...[...used].flatMap(({ from }) => from)];
  const changedIds = new Set([...changed].map(Number));
  const byName = new Map(columnsOf(noun, file.fields).map((column) => [column.name, column]));
  for await (const group of readGroups(file, [...new Set(names)], { fromLast: isByIdAlone })) {
    const row = new CopiedRow(group, byName);
    for (row.index = group.rows - 1; row.index >= 0; row.index -= 1) {
      if (row.index % rowsPerLook === 0) requireTime();
      if (!changedIds.has(row.id) && !look(row as never)) return;
    }
  }
}
