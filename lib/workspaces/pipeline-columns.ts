import { contactStages, dealStages } from '#lib/core/choices.ts';
import { fromCents } from '#lib/core/money.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals, defaultProbability, isClosed, stageNames } from '#lib/entities/deal.ts';
import type { Column } from '#lib/entities/pipeline.ts';
import { readCounters } from '#lib/table/counters.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const colors = ['#64748b', '#3b82f6', '#8b5cf6', '#f59e0b', '#22c55e', '#ef4444'];
const capitalised = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

/** Unique among all pipelines; stages are few. */
const columnId = (pipelineId: number, position: number) => pipelineId * 100 + position;

/** The columns of the deals' pipeline with exact counts and totals. One round trip. */
export async function dealColumns(tx: UnitOfWork): Promise<(pipelineId: number) => Column[]> {
  const sums = await readCounters(tx, Deals, 'deals');
  return (pipelineId) =>
    dealStages.map((stage, index) => {
      const byCurrency = [...sums]
        .map(([name, { count = 0, cents = 0 }]) => ({ name, count, cents }))
        .filter(({ name, count }) => name.startsWith(`${stage}/`) && count !== 0)
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      return {
        id: columnId(pipelineId, index + 1),
        key: stage,
        name: stageNames[stage],
        position: index + 1,
        color: colors[index] as string,
        isTerminal: isClosed(stage),
        isApiSettable: stage !== 'won',
        defaultProbability: defaultProbability[stage],
        count: byCurrency.reduce((total, { count }) => total + count, 0),
        totals: byCurrency.map(({ name, cents }) => {
          const currency = name.slice(stage.length + 1);
          return { currency, total: fromCents(cents, currency) };
        }),
      };
    });
}

/** The columns of the contacts' pipeline with exact counts. One round trip. */
export async function contactColumns(tx: UnitOfWork): Promise<(pipelineId: number) => Column[]> {
  const sums = await readCounters(tx, Contacts, 'contacts');
  return (pipelineId) =>
    contactStages.map((stage, index) => ({
      id: columnId(pipelineId, index + 1),
      key: stage,
      name: capitalised(stage),
      position: index + 1,
      color: colors[index] as string,
      isTerminal: stage === 'customer' || stage === 'lost',
      isApiSettable: true,
      defaultProbability: null,
      count: sums.get(`stage=${stage}`)?.['count'] ?? 0,
      totals: [],
    }));
}
