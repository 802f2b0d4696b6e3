import { isDeepStrictEqual } from 'node:util';
import { Problem } from '#lib/core/problem.ts';
import { type ImportRow, ImportRows } from '#lib/entities/import.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { importedObjects } from './objects/all.ts';
import type { Run } from './run.ts';
import { Hands } from './side-by-side.ts';

type Undone = NonNullable<ImportRow['undone']>;

/** When the import itself, or its undo, has changed a record last: nobody else has since, if that is its last change. */
type OwnChanges = Map<number, string | null>;

/** Rows that are undone side by side. */
const width = 16;

/** Undoes the rows of an import: those of one record one after the other, the last one first. Returns whether all are undone. */
export async function undoRows(run: Run): Promise<boolean> {
  run.countUndoneAnew();
  const own: OwnChanges = new Map();
  const hands = new Hands(width);
  for await (const row of run.rows({ ascending: false })) {
    if (row.outcome === 'failed') continue;
    await hands.free();
    await run.breathe();
    if (run.isOver) {
      await hands.rest();
      return false;
    }
    hands.start([`${row.of} ${row.recordId}`], async () => {
      const { undone, undoneAt, isPartlyKept } = row.undone === undefined ? await undoRow(run, row, own) : row;
      if (undone === 'restored' && undoneAt !== undefined) own.set(Number(row.recordId), undoneAt);
      run.countUndone(undone as Undone, isPartlyKept);
    });
  }
  await hands.rest();
  return true;
}

type Ending = Pick<ImportRow, 'undone' | 'undoneAt' | 'isPartlyKept'>;

/** Undoes a row in one transaction, together with the note that it is undone. */
async function undoRow(run: Run, row: ImportRow, own: OwnChanges): Promise<Ending> {
  const noted = (ending: (tx: UnitOfWork) => Ending | Promise<Ending>) =>
    transact(run.tenant, run.row.actor, async (tx) => {
      tx.refusesArchived = true;
      const kept = await tx.find(ImportRows, row);
      if (kept === undefined) return { undone: 'kept' as const };
      return kept.undone === undefined
        ? tx.update(ImportRows, { ...kept, ...(await ending(tx)), undoneAt: tx.now })
        : kept;
    });
  try {
    return await noted((tx) => undo(tx, run, row, own));
  } catch (error) {
    // Another record has a unique value by now, or the column of a deal is gone.
    if (error instanceof Problem && error.status < 500) return noted(() => ({ undone: 'kept' }));
    throw error;
  }
}

async function undo(tx: UnitOfWork, run: Run, row: ImportRow, own: OwnChanges): Promise<Ending> {
  const object = importedObjects[run.row.object];
  const made = {
    recordId: Number(row.recordId),
    ...(row.of && { of: row.of }),
    ...(row.noteId !== undefined && { noteId: row.noteId }),
  };
  if (row.changes === undefined) {
    if (row.noteId === undefined && (await isChangedSince(tx, run, row, own))) return { undone: 'kept' };
    return { undone: (await object.remove(tx, made)) ? 'archived' : 'kept' };
  }
  const changes = JSON.parse(row.changes) as Record<string, { from: unknown; to: unknown }>;
  const present = await object.read(tx, made.recordId);
  if (present === undefined) return { undone: 'kept' };
  const all = Object.entries(changes);
  const same = all.filter(([name, { to }]) => isDeepStrictEqual(present.values[name] ?? null, to));
  if (same.length > 0)
    await object.giveBack(tx, made.recordId, Object.fromEntries(same.map(([name, { from }]) => [name, from])));
  const isOwn = present.updatedAt === row.at || present.updatedAt === own.get(made.recordId);
  if (isOwn && same.length === 0) own.set(made.recordId, present.updatedAt);
  if (same.length === 0) return { undone: 'kept' };
  return { undone: 'restored', ...(same.length < all.length && { isPartlyKept: true }) };
}

/** Whether somebody has changed a record after the import had created it. */
async function isChangedSince(tx: UnitOfWork, run: Run, { recordId }: ImportRow, own: OwnChanges): Promise<boolean> {
  const present = await importedObjects[run.row.object].read(tx, Number(recordId));
  if (present === undefined || present.updatedAt === null) return false;
  return present.updatedAt !== own.get(Number(recordId));
}
