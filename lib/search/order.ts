import type { FieldError } from '#lib/core/problem.ts';
import type { Operand } from './kinds.ts';
import type { SearchField } from './nouns.ts';

/** One step of an order, as the body gives it. */
export interface SortStep {
  field: string;
  direction: 'asc' | 'desc';
  nulls: 'first' | 'last';
}

/** Where a row stands: the values that it is sorted by, and its id. */
export interface Position {
  keys: readonly (Operand | null)[];
  id: number;
}

export interface Order {
  positionOf(row: never, now: string): Position;
  compare(a: Position, b: Position): number;
}

/** Returns the order of these steps, in which ties go by id, the newest first; `wrong` names fields that are unknown or lists. */
export function orderOf(
  steps: readonly SortStep[],
  fieldOf: (name: string) => SearchField | undefined,
): { order: Order; wrong: FieldError[] } {
  const wrong: FieldError[] = [];
  const fields = steps.flatMap((step, index) => {
    const place = `sort[${index}].field`;
    const field = fieldOf(step.field);
    if (field === undefined)
      wrong.push({ field: place, code: 'unknown_reference', message: `${place} names no field of this object` });
    else if (field.kind.isList || field.kind.order === undefined)
      wrong.push({ field: place, code: 'not_allowed', message: `${place} has several values, which have no order` });
    else return [{ ...step, ...field }];
    return [];
  });
  const order: Order = {
    positionOf: (row: { id: number }, now) => ({
      id: row.id,
      keys: fields.map(({ kind, of }) => {
        const stored = of(row as never, now) ?? null;
        return stored === null ? null : (kind.sortKey ?? kind.operand)(stored as never);
      }),
    }),
    compare(a, b) {
      for (const [index, { kind, direction, nulls }] of fields.entries()) {
        const [one, other] = [a.keys[index] ?? null, b.keys[index] ?? null];
        if (one === null && other === null) continue;
        if (one === null || other === null) return (one === null) === (nulls === 'last') ? 1 : -1;
        const difference = kind.order?.(one as never, other as never) ?? 0;
        if (difference !== 0) return direction === 'asc' ? difference : -difference;
      }
      return b.id - a.id;
    },
  };
  return { order, wrong };
}
