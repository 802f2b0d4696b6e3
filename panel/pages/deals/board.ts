import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';

export type Deal = Schema<'Deal'>;
export type StageKey = Schema<'DealStageKey'>;

export interface Column extends Pick<Schema<'Column'>, 'name' | 'count' | 'totals'> {
  key: StageKey;
  deals: readonly Deal[];
  hasMore: boolean;
}

export type Board = readonly Column[];

/** As many deals of a column as are shown at first. */
const shown = 50;

export interface Wanted {
  q?: string | undefined;
  contactId?: number | undefined;
  assignedToUserId?: string | undefined;
  minValue?: number | undefined;
  expectedCloseBefore?: string | undefined;
  /** Without the columns of won and lost deals. */
  isOpenOnly?: boolean;
}

/** The deal board: its columns, each with its newest deals; of a choice of deals, with how many these are. */
export async function loadBoard(signal: AbortSignal, { isOpenOnly, ...filters }: Wanted): Promise<Board> {
  const isWhole = Object.values(filters).every((value) => value === undefined);
  const { items } = await api.get('/v1/pipelines', { signal, params: { query: { kind: 'deal', limit: 1 } } });
  const pipeline = items[0];
  if (!pipeline) return [];
  const path = { id: pipeline.id };
  const { items: columns } = await api.get('/v1/pipelines/{id}/columns', { signal, params: { path } });
  return Promise.all(
    columns
      .filter(({ isTerminal }) => !isOpenOnly || !isTerminal)
      .map(async ({ key, name, count, totals }) => {
        const stage = key as StageKey;
        const query = { ...filters, stage, limit: shown, include: 'owner' };
        const page = await api.get('/v1/deals', { signal, params: { query } });
        const sums = isWhole
          ? { count, totals }
          : {
              count: page.items.length,
              totals: page.items.reduce<Column['totals']>((sum, deal) => added(sum, deal, 1), []),
            };
        return { key: stage, name, ...sums, deals: page.items, hasMore: page.hasMore };
      }),
  );
}

export const stageKey = (stage: Schema<'DealStage'>): StageKey => stage.toLowerCase() as StageKey;
export const stageName = (key: StageKey): Schema<'DealStage'> =>
  `${key.charAt(0).toUpperCase()}${key.slice(1)}` as Schema<'DealStage'>;

/** The board after a deal has gone to another column, with their sums. */
export function moved(board: Board, deal: Deal, to: StageKey): Board {
  return board.map((column) => {
    if (column.key === to)
      return {
        ...column,
        count: column.count + 1,
        totals: added(column.totals, deal, 1),
        deals: [{ ...deal, stage: stageName(to) }, ...column.deals.filter(({ id }) => id !== deal.id)],
      };
    if (!column.deals.some(({ id }) => id === deal.id)) return column;
    return {
      ...column,
      count: column.count - 1,
      totals: added(column.totals, deal, -1),
      deals: column.deals.filter(({ id }) => id !== deal.id),
    };
  });
}

function added(totals: Column['totals'], { value, currency }: Deal, sign: 1 | -1): Column['totals'] {
  const before = totals.find((total) => total.currency === currency);
  if (!before) return [...totals, { currency, total: sign * value }];
  return totals.map((total) => (total === before ? { currency, total: total.total + sign * value } : total));
}
