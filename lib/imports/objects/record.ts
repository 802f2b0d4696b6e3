import { conflict, notFound } from '#lib/core/problem.ts';
import type { Entity } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { changesBetween, type Outcome, type RowInput, type Rules, type Values } from './object.ts';

/** The record that a row is about, if there is one. */
interface Match {
  id: number | undefined;
  /** Values that the row sets in it. */
  change: RowInput;
  /** Creates the record, which nobody else creates at the same time. */
  make?(): Promise<{ id: number }>;
}

/** How a row becomes a record, or changes one. */
interface Recording {
  noun: string;
  of: Entity;
  match(tx: UnitOfWork, matchOn: string, input: RowInput): Promise<Match>;
  create(tx: UnitOfWork, input: RowInput, make: Match['make']): Promise<number>;
  change(tx: UnitOfWork, id: number, change: RowInput): Promise<void>;
  read(tx: UnitOfWork, id: number): Promise<{ values: Values } | undefined>;
}

/** Creates a record of a row, or does with the one that matches what `onConflict` says. */
export async function takeRecord(
  tx: UnitOfWork,
  recording: Recording,
  input: RowInput,
  { matchOn, onConflict }: Rules,
): Promise<Outcome> {
  const match = await matchOf(tx, recording, input, matchOn);
  const { id } = match;
  if (id === undefined) {
    const recordId = await recording.create(tx, input, match.make);
    const made = (await tx.find(recording.of, { id: recordId })) as { updatedAt: string | null };
    // One row is no change of what it creates: an undo knows by the time whether somebody has changed it.
    if (made.updatedAt !== null) tx.update(recording.of, { ...made, updatedAt: null } as never);
    return { outcome: 'created', recordId };
  }
  if (onConflict === 'skip') return { outcome: 'skipped', recordId: id };
  if (onConflict === 'fail')
    throw conflict('ambiguous_match', `${recording.noun} ${id} has this ${matchOn}: onConflict says that this fails`);
  const before = await recording.read(tx, id);
  await recording.change(tx, id, match.change);
  const after = await recording.read(tx, id);
  return { outcome: 'updated', recordId: id, changes: changesBetween(before?.values ?? {}, after?.values ?? {}) };
}

/** Returns the record that matches. A row without an id is a new record; one with an id that nothing has raises 404. */
async function matchOf(
  tx: UnitOfWork,
  recording: Recording,
  { id, ...input }: RowInput,
  matchOn: string | null,
): Promise<Match> {
  if (matchOn === null) return { id: undefined, change: input };
  if (matchOn !== 'id') return recording.match(tx, matchOn, input);
  if (id === undefined) return { id: undefined, change: input };
  if (typeof id !== 'number' || (await recording.read(tx, id)) === undefined) throw notFound(recording.noun);
  return { id, change: input };
}
