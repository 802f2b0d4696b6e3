interface Held<Row> {
  row: Row;
  at: number;
}

/**
 * Returns the rows of a list with the open one at the place where it was opened, also when others have moved, or it no longer fits the
 * filters; and what to hold for the next time.
 */
export function heldInPlace<Row>(
  rows: readonly Row[],
  isOpen: (row: Row) => boolean,
  before: Held<Row> | undefined,
): { rows: readonly Row[]; held: Held<Row> | undefined } {
  const at = rows.findIndex(isOpen);
  const last = before && isOpen(before.row) ? before : undefined;
  if (at < 0 && last === undefined) return { rows, held: undefined };
  const held = { row: rows[at] ?? (last as Held<Row>).row, at: last?.at ?? at };
  return { rows: rows.filter((row) => !isOpen(row)).toSpliced(held.at, 0, held.row), held };
}
