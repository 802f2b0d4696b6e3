import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { type BoardColumn, readColumns } from '../../app/boards.ts';

export type Deal = Schema<'Deal'>;

export interface Column extends BoardColumn {
  deals: readonly Deal[];
  hasMore: boolean;
}

export type Columns = readonly Column[];

/** The column that a deal is in or goes to. */
export type Place = Pick<BoardColumn, 'id' | 'key' | 'name' | 'stage'>;

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

/** Returns the columns of a board, each with its newest deals; of a choice of deals, with how many these are. */
export async function loadColumns(
  signal: AbortSignal,
  boardId: number,
  { isOpenOnly, ...filters }: Wanted,
): Promise<Columns> {
  const isWhole = Object.values(filters).every((value) => value === undefined);
  const columns = await readColumns(signal, boardId);
  return Promise.all(
    columns
      .filter(({ isTerminal }) => !isOpenOnly || !isTerminal)
      .map(async (column) => {
        const query = { ...filters, columnId: column.id, limit: shown, include: 'owner,pipeline' };
        const page = await api.get('/v1/deals', { signal, params: { query } });
        const sums = isWhole
          ? {}
          : {
              count: page.items.length,
              totals: page.items.reduce<Column['totals']>((sum, deal) => added(sum, deal, 1), []),
            };
        return { ...column, ...sums, deals: page.items, hasMore: page.hasMore };
      }),
  );
}

const stageName = (key: string): Schema<'DealStage'> =>
  `${key.charAt(0).toUpperCase()}${key.slice(1)}` as Schema<'DealStage'>;

/** Returns the column that a deal with `include=pipeline` is in. */
export const placeOf = ({ stage, pipeline }: Pick<Deal, 'stage' | 'pipeline'>): Place => ({
  id: pipeline?.columnId ?? 0,
  key: pipeline?.columnKey ?? '',
  name: pipeline?.columnName ?? stage,
  stage: stage.toLowerCase(),
});

/** Returns a deal in another column of its board. */
export const placed = <Of extends Pick<Deal, 'stage' | 'pipeline'>>(deal: Of, { id, key, name, stage }: Place): Of => ({
  ...deal,
  stage: stageName(stage),
  ...(deal.pipeline && { pipeline: { ...deal.pipeline, columnId: id, columnKey: key, columnName: name } }),
});

/** Returns the columns with a deal as the API answers it, in the column where it is now. */
export const withDeal = (columns: Columns, deal: Deal): Columns =>
  moved(columns, deal, placeOf(deal)).map((column) => ({
    ...column,
    deals: column.deals.map((one) => (one.id === deal.id ? { ...one, ...deal } : one)),
  }));

/** The columns after a deal has gone to another one, with their sums. */
export function moved(columns: Columns, deal: Deal, to: Place): Columns {
  return columns.map((column) => {
    const others = column.deals.filter(({ id }) => id !== deal.id);
    const wasHere = others.length < column.deals.length;
    const isHere = column.id === to.id;
    if (wasHere === isHere) return column;
    const sign = isHere ? 1 : -1;
    return {
      ...column,
      count: column.count + sign,
      totals: added(column.totals, deal, sign),
      deals: isHere ? [placed(deal, to), ...others] : others,
    };
  });
}

function added(totals: Column['totals'], { value, currency }: Deal, sign: 1 | -1): Column['totals'] {
  const before = totals.find((total) => total.currency === currency);
  if (!before) return [...totals, { currency, total: sign * value }];
  return totals.map((total) => (total === before ? { currency, total: total.total + sign * value } : total));
}
