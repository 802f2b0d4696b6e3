import { holdsWords } from '#lib/core/text.ts';
import type { ArchivedFilter, Spellings } from './entity.ts';
import { searchable } from './list.ts';

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
  createdSince: (time: string) => ({
    createdSince: time,
    matches: ({ createdAt }: Dated) => createdAt >= time,
    columns: ['createdAt'],
  }),
  updatedSince: (time: string) => ({
    matches: ({ createdAt, updatedAt }: Dated) => (updatedAt ?? createdAt) >= time,
    columns: ['createdAt', 'updatedAt'],
  }),
};

/** Returns the filter of what has all of the words in its texts, whose fields these columns hold. */
export const holding = <Row>(
  words: readonly Spellings[],
  columns: readonly string[],
  texts: (row: Row) => readonly (string | null)[],
) =>
  words.length === 0
    ? {}
    : { words, columns, matches: (row: Row) => holdsWords(searchable(...texts(row)).text, words) };

interface Dated {
  createdAt: string;
  updatedAt: string | null;
}
