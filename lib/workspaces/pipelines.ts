import type * as v from 'valibot';
import { contactStages } from '#lib/core/choices.ts';
import { notFound } from '#lib/core/problem.ts';
import {
  type Column,
  ColumnDoors,
  type Columns,
  type Pipeline,
  type PipelineQuery,
  Pipelines,
  type PipelineWithColumns,
  type StoredPipeline,
} from '#lib/entities/pipeline.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { contactColumns, dealColumns, firstColumns } from './pipeline-columns.ts';

/** Creates the two pipelines that every workspace has (contract section 12). */
export async function createPipelines(tx: UnitOfWork): Promise<void> {
  await tx.reserveIds({ [Pipelines.name]: 2 });
  const common = { isDefault: true, isArchived: false, createdAt: tx.now };
  const id = await tx.nextId(Pipelines);
  const columns = firstColumns(id);
  for (const column of columns) tx.create(ColumnDoors, { id: column.id, entered: 0 });
  tx.create(Pipelines, { ...common, id, name: 'Deals', kind: 'deal', columns, lastColumn: columns.length });
  tx.create(Pipelines, {
    ...common,
    id: await tx.nextId(Pipelines),
    name: 'Contacts',
    kind: 'contact',
    columns: [],
    lastColumn: 0,
  });
}

const toPipelineView = (pipeline: StoredPipeline): v.InferOutput<typeof Pipeline> => ({
  ...pipeline,
  columnCount: pipeline.kind === 'deal' ? pipeline.columns.length : contactStages.length,
});

/** Returns a page of the boards. One that is archived still counts as a board until its deals have moved. */
export async function listPipelines(
  tx: UnitOfWork,
  query: v.InferOutput<typeof PipelineQuery>,
): Promise<Page<v.InferOutput<typeof Pipeline>>> {
  const page = await listPage(
    tx,
    Pipelines,
    listingFrom(Pipelines, query, {
      archived: (archived) => ({
        matches: ({ isArchived, movingTo }) =>
          archived === 'all' || archived === String(isArchived && movingTo === undefined),
      }),
    }),
  );
  return { ...page, items: page.items.map(toPipelineView) };
}

/** The pipeline with its columns; one round trip, because both kinds are counted before it is known which it is. Raises 404. */
export async function getPipeline(tx: UnitOfWork, id: number): Promise<v.InferOutput<typeof PipelineWithColumns>> {
  const [pipeline, deals, contacts] = await Promise.all([
    tx.get(Pipelines, { id }, () => notFound('pipeline')),
    dealColumns(tx),
    contactColumns(tx),
  ]);
  return { ...toPipelineView(pipeline), columns: (pipeline.kind === 'deal' ? deals : contacts)(pipeline) };
}

/** Returns a column of a pipeline. Raises 404. */
export async function getColumn(tx: UnitOfWork, id: number, columnId: number): Promise<Column> {
  const { columns } = await getPipeline(tx, id);
  const column = columns.find((one) => one.id === columnId);
  if (column === undefined) throw notFound('column');
  return column;
}

/** All columns of a pipeline in order of position. Raises 404. */
export async function listColumns(tx: UnitOfWork, id: number): Promise<v.InferOutput<typeof Columns>> {
  const { columns } = await getPipeline(tx, id);
  return { items: columns, nextCursor: null, hasMore: false };
}
