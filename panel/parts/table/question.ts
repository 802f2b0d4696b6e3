import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { timeZone } from '../../app/locale.ts';
import type { Cursor, Page, Source } from './rows.ts';

/** What a table shows, as a saved view keeps it. */
export interface Question {
  filter: Schema<'Filter'> | undefined;
  sort: readonly Sort[];
  /** Names of the columns from left to right; undefined for the usual ones. */
  columns: readonly string[] | undefined;
  viewId: number | undefined;
}

export interface Sort {
  field: string;
  direction: 'asc' | 'desc';
  nulls?: 'first' | 'last';
}

export type Noun = 'contacts' | 'companies' | 'deals' | 'tasks';

interface Asked extends Pick<Question, 'filter' | 'sort'> {
  /** Whether it is known what is asked; until then nothing is. */
  isReady: boolean;
  q?: string | undefined;
  archived?: Schema<'Archived'> | undefined;
  /** What the rows have besides their own fields, with commas between. */
  include: string;
}

/** As many rows as a call answers at most. */
const pageSize = 100;

/** Returns the records of a noun that are asked for. The plain list costs a page; anything else is a search, which reads them all. */
export function sourceOf<Item>(noun: Noun, asked: Asked): Source<Item> {
  const { q, filter, isReady, archived, include } = asked;
  if (!isReady) return { noun, read: () => new Promise(() => undefined) };
  // The paths of all nouns are alike.
  const search = async (signal: AbortSignal, body: object) =>
    (await api.post(`/v1/${noun}/search` as '/v1/contacts/search', { signal, body })) as unknown as Page<Item>;
  const which = archived === undefined ? {} : { archived: archived === 'true' || archived };
  if (q === undefined && filter === undefined && asked.sort.length === 0)
    return {
      noun,
      read: async (signal, after) => {
        const query = { limit: pageSize, after: after as number | undefined, archived, include: include as 'archive' };
        const path = `/v1/${noun}` as '/v1/contacts';
        return (await api.get(path, { signal, params: { query } })) as unknown as Page<Item>;
      },
      count: async (signal) => (await search(signal, { ...which, limit: 1, count: true })).total ?? 0,
    };
  const sort = asked.sort.length === 0 ? undefined : asked.sort;
  const body = { q, filter, timeZone: timeZone.value, sort, include, ...which, limit: pageSize };
  // To count reads all rows again.
  const read = (signal: AbortSignal, cursor: Cursor | undefined) =>
    search(signal, { ...body, cursor, count: cursor === undefined });
  return { noun, read };
}
