import { useRef, useState } from 'preact/hooks';

export interface Selection {
  ids: ReadonlySet<number>;
  /** How many rows there are; undefined if nobody knows. */
  total: number | undefined;
  /** Selects a row or takes it out; as a range with all from the one before. */
  toggle(id: number, isRange: boolean): void;
  /** Selects all rows between two. */
  extend(from: number, to: number): void;
  set(ids: Iterable<number>): void;
  /** Selects the rows that were read. */
  selectRead(): void;
  clear(): void;
}

/** The rows that are selected. */
export function useSelection(items: readonly { id: number }[], total: number | undefined): Selection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const last = useRef<number | undefined>(undefined);
  const between = (one: number, other: number): number[] => {
    const all = items.map(({ id }) => id);
    const [from, to] = [all.indexOf(one), all.indexOf(other)].sort((a, b) => a - b) as [number, number];
    return from < 0 ? [other] : all.slice(from, to + 1);
  };
  const put = (changed: Iterable<number>, isIn: boolean) =>
    setIds((before) => {
      const after = new Set(before);
      for (const id of changed)
        if (isIn) after.add(id);
        else after.delete(id);
      return after;
    });
  return {
    ids,
    total,
    toggle: (id, isRange) => {
      put(isRange ? between(last.current ?? id, id) : [id], !ids.has(id));
      last.current = id;
    },
    extend: (from, to) => {
      put(between(from, to), true);
      last.current = to;
    },
    set: (chosen) => setIds(new Set(chosen)),
    selectRead: () => setIds(new Set(items.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}
