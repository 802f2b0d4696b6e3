import type { ArchivedFilter } from './entity.ts';

type Condition<Row> = (row: Row) => boolean;

/** The conditions that were asked for, as the `matches` of a listing; nothing when none was. */
export function matching<Row>(...conditions: (Condition<Row> | false)[]): { matches?: Condition<Row> } {
  const wanted = conditions.filter((condition) => condition !== false);
  return wanted.length === 0 ? {} : { matches: (row) => wanted.every((holds) => holds(row)) };
}

/** Filters of a list for `commonFilters` (contract 0.2); the times are inclusive. */
export const common = {
  archived: (archived: ArchivedFilter) => ({ archived }),
  ids: (ids: readonly number[]) => ({ ids }),
  createdSince: (time: string) => ({ createdSince: time, matches: ({ createdAt }: Dated) => createdAt >= time }),
  updatedSince: (time: string) => ({ matches: ({ createdAt, updatedAt }: Dated) => (updatedAt ?? createdAt) >= time }),
};

interface Dated {
  createdAt: string;
  updatedAt: string | null;
}
