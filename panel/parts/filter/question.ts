import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { everyPage } from '../../app/every-page.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { place, replacePlace } from '../../app/route.ts';
import { keepColumns, keptColumns } from '../table/column.ts';
import type { Question, Sort } from '../table/question.ts';
import type { SearchedObject } from './fields.ts';
import { type Filter, isSame } from './tree.ts';

export type View = Schema<'View'>;

/** Returns an order as the address has it: `-leadScore,name`. */
const sortText = (sort: readonly Sort[]): string =>
  sort.map(({ field, direction }) => (direction === 'desc' ? `-${field}` : field)).join(',');

const sortIn = (text: string): Sort[] =>
  text
    .split(',')
    .filter(Boolean)
    .map((by) => ({ field: by.replace(/^-/, ''), direction: by.startsWith('-') ? 'desc' : 'asc' }));

/** Stands in the address for nothing, where the view has something. */
const none = 'none';

function filterIn(text: string): Filter | undefined {
  try {
    const read: unknown = text === none ? undefined : JSON.parse(text);
    return typeof read === 'object' && read !== null ? (read as Filter) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what a view keeps; of all records nothing. */
export const kept = (view: View | undefined): Question => ({
  filter: view?.filter ?? undefined,
  sort: (view?.sort ?? []).map(({ direction = 'asc', ...by }) => ({ ...by, direction })),
  columns: view && view.columns.length > 0 ? view.columns : undefined,
  viewId: view?.id,
});

const isSameSort = (one: readonly Sort[], other: readonly Sort[]) => sortText(one) === sortText(other);
const isSameColumns = (one: readonly string[] | undefined, other: readonly string[] | undefined) =>
  one?.join() === other?.join();

/** Returns whether a table shows something else than its view. */
export const isChanged = (value: Question, view: View | undefined): boolean => {
  const { filter, sort, columns } = kept(view);
  const hasOtherColumns = view !== undefined && !isSameColumns(value.columns, columns);
  return !isSame(value.filter, filter) || !isSameSort(value.sort, sort) || hasOtherColumns;
};

/** Returns what the address says of a view, and in which it differs from it. */
function questionIn(query: URLSearchParams, view: View | undefined): Question {
  const base = kept(view);
  const [filter, sort, columns] = ['filter', 'sort', 'columns'].map((name) => query.get(name));
  return {
    viewId: base.viewId,
    filter: filter ? filterIn(filter) : base.filter,
    sort: sort ? sortIn(sort === none ? '' : sort) : base.sort,
    columns: columns ? (columns === none ? undefined : columns.split(',')) : base.columns,
  };
}

/** Writes what a table shows into the address: its view, and in which it differs from that. */
function writeQuestion({ filter, sort, columns, viewId }: Question, view: View | undefined): void {
  const base = kept(view);
  const { path, query } = place.value;
  replacePlace(path, {
    ...Object.fromEntries(query),
    after: undefined,
    view: viewId,
    filter: isSame(filter, base.filter) ? undefined : filter ? JSON.stringify(filter) : none,
    sort: isSameSort(sort, base.sort) ? undefined : sortText(sort) || none,
    columns: viewId === undefined || isSameColumns(columns, base.columns) ? undefined : (columns?.join() ?? none),
  });
}

/** Opens a view as it is kept, or all records. */
export function openView(id: number | undefined): void {
  const { path, query } = place.value;
  const changes = { after: undefined, view: id, filter: undefined, sort: undefined, columns: undefined };
  replacePlace(path, { ...Object.fromEntries(query), ...changes });
}

/** Reads all views of an object that somebody sees, the oldest first. */
async function readViews(object: SearchedObject, signal: AbortSignal): Promise<View[]> {
  const { items } = await everyPage((after: number | undefined) =>
    api.get('/v1/views', { signal, params: { query: { object, limit: 100, after } } }),
  );
  return items.reverse();
}

export interface Asking {
  value: Question;
  /** Whether the view in the address is known: until then it is not known what is asked. */
  isReady: boolean;
  views: Loaded<readonly View[]>;
  onChange(value: Question): void;
  onSort(sort: readonly Sort[]): void;
  onColumns(names: readonly string[] | undefined): void;
}

/**
 * What the table of an object shows. It is in the address, so that a link and the way back lead to it; without a view, columns are
 * kept in this browser.
 */
export function useQuestion(object: SearchedObject): Asking {
  const views = useLoaded((signal) => readViews(object, signal), [object]);
  const [ownColumns, setOwnColumns] = useState(() => keptColumns(object));
  const { query } = place.value;
  const id = Number(query.get('view')) || undefined;
  const viewOf = (of: number | undefined) => views.data?.find((view) => view.id === of);
  const asked = questionIn(query, viewOf(id));
  const value = asked.viewId === undefined ? { ...asked, columns: asked.columns ?? ownColumns } : asked;
  const onChange = (to: Question) => writeQuestion(to, viewOf(to.viewId));
  return {
    value,
    isReady: id === undefined || views.data !== undefined || views.error !== undefined,
    views,
    onChange,
    onSort: (sort) => onChange({ ...value, sort }),
    onColumns: (columns) => {
      if (value.viewId !== undefined) return onChange({ ...value, columns });
      keepColumns(object, columns);
      setOwnColumns(columns);
    },
  };
}
