import type { Schema } from '../../client/index.ts';
import { api } from './api.ts';

export type Board = Schema<'Pipeline'>;
export type BoardColumn = Schema<'Column'>;

/** Returns the boards of deals: the default one first, then the oldest. */
export async function readBoards(signal: AbortSignal, archived?: Schema<'Archived'>): Promise<Board[]> {
  const query = { kind: 'deal', limit: 100, archived } as const;
  const { items } = await api.get('/v1/pipelines', { signal, params: { query } });
  return items.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault) || one.id - other.id);
}

/** Returns the columns of a board from left to right, with their counts and totals. */
export const readColumns = async (signal: AbortSignal, id: number): Promise<BoardColumn[]> =>
  (await api.get('/v1/pipelines/{id}/columns', { signal, params: { path: { id } } })).items;
