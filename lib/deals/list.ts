import type * as v from 'valibot';
import { withMetadata } from '#lib/core/metadata.ts';
import { wordsOf } from '#lib/core/text.ts';
import { columnText, type Deal, type DealQuery, type DealStage, Deals, toDealView } from '#lib/entities/deal.ts';
import { boardIdOf, Pipelines } from '#lib/entities/pipeline.ts';
import { listNoun } from '#lib/search/list.ts';
import { common, holding } from '#lib/table/conditions.ts';
import type { Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Deals in descending order of id; every filter is exact and may be combined. */
export async function listDeals(
  tx: UnitOfWork,
  { include, ...query }: v.InferOutput<typeof DealQuery>,
): Promise<Page<v.InferOutput<typeof Deal>>> {
  const stageOfColumn = await stageOf(tx, query.columnId);
  const page = await listNoun(
    tx,
    Deals,
    listingFrom(Deals, query, {
      ...common,
      pipelineId: (pipeline) => ({ where: { pipeline } }),
      columnId: (columnId) => ({
        where: { stage: query.stage ?? stageOfColumn ?? 'lead' },
        contains: { stage: columnText(columnId) },
      }),
      contactId: (contact) => ({ where: { contact } }),
      companyId: (company) => ({ where: { company } }),
      assignedToUserId: (assignee) => ({ where: { assignee } }),
      minValue: (least) => ({ matches: ({ value }) => value >= least, columns: ['value'] }),
      maxValue: (most) => ({ matches: ({ value }) => value <= most, columns: ['value'] }),
      expectedCloseBefore: (time) => ({
        matches: ({ expectedCloseAt }) => expectedCloseAt !== null && expectedCloseAt < time,
        columns: ['expectedCloseAt'],
      }),
      metadata: (metadata) => ({ contains: { metadata: withMetadata(metadata) } }),
      q: (q) => holding(wordsOf(q), ['title'], ({ title }) => [title]),
    }),
  );
  return { ...page, items: page.items.map(toDealView) };
}

/** Returns the stage of a column, by which its deals are found. */
async function stageOf(tx: UnitOfWork, columnId: number | undefined): Promise<DealStage | undefined> {
  if (columnId === undefined) return undefined;
  const board = await tx.find(Pipelines, { id: boardIdOf(columnId) });
  return board?.columns.find(({ id }) => id === columnId)?.stage;
}
