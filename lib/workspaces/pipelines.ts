import type * as v from 'valibot';
import { contactStages, dealStages } from '#lib/core/choices.ts';
import { notFound } from '#lib/core/problem.ts';
import {
  type Columns,
  type Pipeline,
  type PipelineQuery,
  Pipelines,
  type PipelineWithColumns,
} from '#lib/entities/pipeline.ts';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { contactColumns, dealColumns } from './pipeline-columns.ts';

type StoredPipeline = Item<typeof Pipelines>;

/** The two pipelines that every workspace has (contract section 12). */
export async function createPipelines(tx: UnitOfWork): Promise<void> {
  await tx.reserveIds({ [Pipelines.name]: 2 });
  tx.create(Pipelines, {
    id: await tx.nextId(Pipelines),
    name: 'Deals',
    kind: 'deal',
    isDefault: true,
    createdAt: tx.now,
  });
  tx.create(Pipelines, {
    id: await tx.nextId(Pipelines),
    name: 'Contacts',
    kind: 'contact',
    isDefault: true,
    createdAt: tx.now,
  });
}

const shown = (pipeline: StoredPipeline): v.InferOutput<typeof Pipeline> => ({
  ...pipeline,
  columnCount: pipeline.kind === 'deal' ? dealStages.length : contactStages.length,
});

export async function listPipelines(
  tx: UnitOfWork,
  query: v.InferOutput<typeof PipelineQuery>,
): Promise<Page<v.InferOutput<typeof Pipeline>>> {
  const page = await listPage(tx, Pipelines, listingFrom(Pipelines, query, {}));
  return { ...page, items: page.items.map(shown) };
}

/** The pipeline with its columns; one round trip, because both kinds are counted before it is known which it is. Raises 404. */
export async function getPipeline(tx: UnitOfWork, id: number): Promise<v.InferOutput<typeof PipelineWithColumns>> {
  const [pipeline, deals, contacts] = await Promise.all([
    tx.get(Pipelines, { id }, () => notFound('pipeline')),
    dealColumns(tx),
    contactColumns(tx),
  ]);
  return { ...shown(pipeline), columns: (pipeline.kind === 'deal' ? deals : contacts)(id) };
}

/** All columns of a pipeline in order of position. Raises 404. */
export async function listColumns(tx: UnitOfWork, id: number): Promise<v.InferOutput<typeof Columns>> {
  const { columns } = await getPipeline(tx, id);
  return { items: columns, nextCursor: null, hasMore: false };
}
