import {
  type Entity,
  entityPartition,
  fieldsWithin,
  type Item,
  keyOf,
  type Named,
  type Reference,
} from '#lib/table/entity.ts';
import { identity } from '#lib/table/keys.ts';
import { listPage, stepThrough } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Row = Record<string, unknown>;

/** Rows of an entity that name another, and how. Rows that others take along belong to those. */
interface Referrer {
  of: Entity;
  reference: Reference;
  /** All that refer to it. */
  among: readonly Entity[];
}

const referrersTo = ({ name }: Entity, among: readonly Entity[]): Referrer[] =>
  among.flatMap((of) =>
    (of.references ?? []).flatMap((reference) =>
      reference.to === name && reference.with === undefined ? [{ of, reference, among }] : [],
    ),
  );

/**
 * Makes the rows of `among` that name `from` name `to` instead, while the unit of work has room, beginning with the entity `since`.
 * Returns the entity of which some may be left: it is then called again in a unit of work of its own. A moved row is no longer
 * found under `from`, so each moves exactly once.
 */
export async function moveReferences(
  tx: UnitOfWork,
  target: Entity,
  among: readonly Entity[],
  from: number,
  to: Named,
  since: string | null,
): Promise<string | undefined> {
  const referrers = referrersTo(target, among);
  // Earlier referrers have nothing left, and nothing can be added to them.
  const first = referrers.findIndex(({ of }) => of.name === since);
  for (const referrer of referrers.slice(Math.max(first, 0))) {
    if (await moveRows(tx, referrer, from, to)) return referrer.of.name;
  }
  return undefined;
}

const showing = (target: Entity, among: readonly Entity[]) =>
  referrersTo(target, among).filter(({ reference }) => reference.shows !== undefined || reference.holds?.renamed);

/** How far a walk through the rows of several entities has come: the last row of `of` that was looked at. */
export type Place = { of: string; after: number | null };

/** One round trip reads them, and one unit of work mostly has room for all of them. */
const namesPerStep = 75;

/**
 * Writes a new name into the rows that show another one, newest first, from a place on. Returns the place from which some may be
 * left, in a unit of work of its own: what is above it shows the name already, and so does whatever is written there meanwhile.
 */
export async function renameReferences<E extends Entity>(
  tx: UnitOfWork,
  target: E,
  among: readonly Entity[],
  { id, name }: Item<E> & Named,
  from: Place | undefined,
): Promise<Place | undefined> {
  const referrers = showing(target, among);
  const first = referrers.findIndex(({ of }) => of.name === from?.of);
  for (const { of, reference } of referrers.slice(Math.max(first, 0))) {
    const after = of.name === from?.of ? from.after : null;
    const where = reference.holds?.where(id) ?? { [reference.to]: id };
    const left = await stepThrough(tx, of, { where, archived: 'all', limit: namesPerStep, after }, (item) => {
      const row = item as Row;
      const set = reference.holds?.renamed?.(row, { id, name }) ?? { [String(reference.shows)]: name };
      if (Object.entries(set).some(([field, value]) => row[field] !== value)) tx.update(of, { ...row, ...set });
    });
    if (left) return { of: of.name, ...left };
  }
  return undefined;
}

async function moveRows(tx: UnitOfWork, referrer: Referrer, from: number, to: Named): Promise<boolean> {
  const { of, reference } = referrer;
  for await (const rows of rowsNaming(tx, referrer, from)) {
    const alongside = await takenAlong(tx, referrer, rows);
    for (const row of rows) {
      if (!tx.hasRoom) return true;
      const moved = {
        ...row,
        ...repointed(reference, row, from, to),
        ...('updatedAt' in row && { updatedAt: tx.now }),
      };
      if (identity(keyOf(tx.tenant, of, row)) === identity(keyOf(tx.tenant, of, moved))) tx.update(of, moved);
      else {
        tx.delete(of, row);
        tx.create(of, moved);
      }
      for (const other of alongside.get(row) ?? []) tx.update(other.of, { ...other.row, [other.field]: to.id });
    }
  }
  return false;
}

/** Returns what is set in a row that names one entity, when it names another one or none instead. */
function repointed({ field, shows, holds }: Reference, row: Row, from: number, to: Named | null): Row {
  if (holds) return holds.moved(row, from, to);
  return { [field]: to?.id ?? null, ...(shows !== undefined && { [shows]: to?.name ?? null }) };
}

/**
 * Takes an entity that is gone out of the rows of `among` that name it, while the unit of work has room, beginning with the entity
 * `since`: rows that are its own go, the others no longer name it. Returns the entity of which some may be left.
 */
export async function forgetReferences(
  tx: UnitOfWork,
  target: Entity,
  among: readonly Entity[],
  id: number,
  since: string | null,
  onForgotten: (of: Entity, row: Readonly<Row>) => unknown = () => {},
): Promise<string | undefined> {
  const referrers = referrersTo(target, among);
  const first = referrers.findIndex(({ of }) => of.name === since);
  for (const referrer of referrers.slice(Math.max(first, 0))) {
    const { of, reference } = referrer;
    const { isOwned } = reference;
    for await (const rows of rowsNaming(tx, referrer, id)) {
      for (const row of rows) {
        if (!tx.hasRoom) return of.name;
        if (isOwned) tx.delete(of, row);
        else {
          tx.update(of, {
            ...row,
            ...repointed(reference, row, id, null),
            ...('updatedAt' in row && { updatedAt: tx.now }),
          });
        }
        await onForgotten(of, row);
      }
    }
  }
  return undefined;
}

type Alongside = Map<Row, { of: Entity; field: string; row: Row }[]>;

/** The rows that these name and take along. */
async function takenAlong(
  tx: UnitOfWork,
  { of, reference, among }: Referrer,
  rows: readonly Row[],
): Promise<Alongside> {
  const found: Alongside = new Map();
  for (const other of among) {
    const own = other.references?.find((named) => named.to === reference.to && named.with === of.name);
    const link = own && of.references?.find(({ to }) => to === other.name);
    if (!link) continue;
    const ids = rows.flatMap((row) => (row[link.field] === null ? [] : [{ id: row[link.field] }]));
    const named = new Map((await tx.findAll(other, ids)).map((item) => [(item as Row)['id'], item as Row]));
    for (const row of rows) {
      const item = named.get(row[link.field]);
      if (item) found.set(row, [...(found.get(row) ?? []), { of: other, field: own.field, row: item }]);
    }
  }
  return found;
}

const pageSize = 25;

/** Where the rows of a contact lie in a partition of their own, its pages; else those of its index entries. */
async function* rowsNaming(
  tx: UnitOfWork,
  { of, reference: { to, field, holds } }: Referrer,
  id: number,
): AsyncGenerator<Row[]> {
  if (fieldsWithin(of).includes(field)) {
    for await (const page of pages({ pk: entityPartition(tx.tenant, of, { [field]: id }), limit: pageSize })) {
      yield page.map((stored) => tx.remember(of, stored) as Row);
    }
    return;
  }
  for (let after: number | null | undefined; after !== null; ) {
    const page = await listPage(tx, of, {
      where: holds?.where(id) ?? { [to]: id },
      archived: 'all',
      limit: pageSize,
      after,
    });
    yield page.items as Row[];
    after = page.nextCursor;
  }
}
