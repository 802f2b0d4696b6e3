import { useState } from 'preact/hooks';
import { place, replacePlace } from '../../app/route.ts';
import { keepColumns, keptColumns } from './column.ts';
import type { Question, Sort } from './question.ts';

/** Returns an order as the address has it: `-leadScore,name`. */
const sortText = (sort: readonly Sort[]): string =>
  sort.map(({ field, direction }) => (direction === 'desc' ? `-${field}` : field)).join(',');

const sortIn = (text: string | null): Sort[] =>
  (text ?? '')
    .split(',')
    .filter(Boolean)
    .map((by) => ({ field: by.replace(/^-/, ''), direction: by.startsWith('-') ? 'desc' : 'asc' }));

interface Asking {
  value: Question;
  onSort(sort: readonly Sort[]): void;
  onColumns(names: readonly string[] | undefined): void;
}

/** What the table of an object shows: its order is in the address, its columns are kept in this browser. */
export function useQuestion(object: string): Asking {
  const [columns, setColumns] = useState(() => keptColumns(object));
  const { path, query } = place.value;
  return {
    value: { sort: sortIn(query.get('sort')), columns },
    onSort: (sort) => replacePlace(path, { ...Object.fromEntries(query), sort: sortText(sort) }),
    onColumns: (names) => {
      keepColumns(object, names);
      setColumns(names);
    },
  };
}
