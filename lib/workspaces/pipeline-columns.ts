import { contactStages, dealStages } from '#lib/core/choices.ts';
import { fromCents } from '#lib/core/money.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { countedDeals, type DealStage, Deals, defaultProbability, isClosed, stageNames } from '#lib/entities/deal.ts';
import { type Column, columnIdOf, type StoredColumn, type StoredPipeline } from '#lib/entities/pipeline.ts';
import { readCounters } from '#lib/table/counters.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const colors = ['#64748b', '#3b82f6', '#8b5cf6', '#f59e0b', '#22c55e', '#ef4444'];
const capitalised = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** Returns what a column of a stage has unless it is given. */
export const columnDefaults = (stage: DealStage) => ({
  name: stageNames[stage],
  color: colors[dealStages.indexOf(stage)] as string,
  probability: defaultProbability[stage],
});

/** Returns the columns of the board that a workspace begins with. */
export const firstColumns = (pipelineId: number): StoredColumn[] =>
  dealStages.map((stage, index) => ({
    id: columnIdOf(pipelineId, index + 1),
    key: stage,
    stage,
    ...columnDefaults(stage),
    isFixed: true,
  }));

/** Deals of a column, and their values by currency. */
interface ColumnSums {
  count: number;
  totals: Column['totals'];
}

/** Returns the exact sums of the columns of deals by id, for columns that have some. One round trip. */
export async function columnSums(tx: UnitOfWork): Promise<(columnId: number) => ColumnSums> {
  const counted = [...(await readCounters(tx, Deals, 'deals'))].flatMap(([name, { count = 0, cents = 0 }]) =>
    count === 0 ? [] : [{ ...countedDeals(name), count, cents }],
  );
  const byColumn = Map.groupBy(counted, ({ columnId }) => columnId);
  return (id) => {
    const own = (byColumn.get(id) ?? []).sort((a, b) => (a.currency < b.currency ? -1 : 1));
    return {
      count: own.reduce((total, { count }) => total + count, 0),
      totals: own.map(({ currency, cents }) => ({ currency, total: fromCents(cents, currency) })),
    };
  };
}

/** Returns the columns of boards of deals with exact counts and totals. One round trip. */
export async function dealColumns(tx: UnitOfWork): Promise<(board: StoredPipeline) => Column[]> {
  const sumsOf = await columnSums(tx);
  return ({ columns }) =>
    columns.map(({ id, key, name, stage, color, probability }, index) => ({
      id,
      key,
      name,
      stage,
      position: index + 1,
      color,
      isTerminal: isClosed(stage),
      isApiSettable: stage !== 'won',
      defaultProbability: probability,
      ...sumsOf(id),
    }));
}

/** Returns the columns of the contacts' pipeline with exact counts. One round trip. */
export async function contactColumns(tx: UnitOfWork): Promise<(board: StoredPipeline) => Column[]> {
  const sums = await readCounters(tx, Contacts, 'contacts');
  return ({ id }) =>
    contactStages.map((stage, index) => ({
      id: columnIdOf(id, index + 1),
      key: stage,
      name: capitalised(stage),
      stage,
      position: index + 1,
      color: colors[index] as string,
      isTerminal: stage === 'customer' || stage === 'lost',
      isApiSettable: true,
      defaultProbability: null,
      count: sums.get(`stage=${stage}`)?.['count'] ?? 0,
      totals: [],
    }));
}
