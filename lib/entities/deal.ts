import * as v from 'valibot';
import { activeDealStages, dealStages } from '#lib/core/choices.ts';
import { includeQuery, onRequest } from '#lib/core/include.ts';
import { fixedInPatch, metadataFilter, metadataIndex, metadataInput, StoredMetadata } from '#lib/core/metadata.ts';
import { toCents } from '#lib/core/money.ts';
import {
  choice,
  commonFilters,
  count,
  currency,
  id,
  idInput,
  integer,
  line,
  money,
  nullableText,
  nullableTimeInput,
  paging,
  queryIdOrNone,
  queryInteger,
  queryNumber,
  queryText,
  queryTime,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { archivable, archivedFilter, archiveIndex, shownArchive } from './archive.ts';
import { customValues, fieldsInput, linkReferences, shownFields, valueIndexes } from './field.ts';
import { boardIdOf } from './pipeline.ts';
import { DealTask } from './task.ts';

export type DealStage = (typeof dealStages)[number];

/** Stages are lower case inside, in filters, bodies and events; responses show these names (base document, "Deal"). */
export const stageNames = {
  lead: 'Lead',
  qualified: 'Qualified',
  proposal: 'Proposal',
  negotiation: 'Negotiation',
  won: 'Won',
  lost: 'Lost',
} as const satisfies Record<DealStage, string>;

export const defaultProbability: Record<DealStage, number> = {
  lead: 10,
  qualified: 30,
  proposal: 50,
  negotiation: 70,
  won: 100,
  lost: 0,
};

export const isClosed = (stage: DealStage) => stage === 'won' || stage === 'lost';

const title = () => line(200);
const notes = () => nullableText(10_000);

const common = {
  id: id(),
  title: v.string(),
  contactId: v.nullable(id()),
  contactName: v.nullable(v.string()),
  value: v.number(),
  currency: v.string(),
  probability: integer(0, 100),
  expectedCloseAt: v.nullable(time()),
  closedAt: v.nullable(time()),
  notes: v.nullable(v.string()),
  openTaskCount: count(),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

const shown = { ...common, stage: storedChoice(Object.values(stageNames)) };

/** Members that `include` adds. */
const included = {
  fields: shownFields(),
  archive: shownArchive(),
  company: v.nullable(v.pipe(v.object({ id: id(), name: v.string() }), v.title('DealCompany'))),
  owner: v.pipe(v.object({ assignedToUserId: v.nullable(id()) }), v.title('DealOwner')),
  pipeline: v.pipe(
    v.object({
      id: id(),
      name: v.string(),
      columnId: id(),
      columnKey: v.string(),
      columnName: v.string(),
      lostReason: v.nullable(v.string()),
      columnSince: time(),
    }),
    v.title('DealPipeline'),
  ),
};
export const DealInclude = v.object(includeQuery(included));

/** A deal as lists show it (base document, "Deal"). */
export const Deal = v.pipe(v.object({ ...shown, ...onRequest(included) }), v.title('Deal'));
/** A deal as get-by-id and the answers to writes show it. */
export const DealWithTasks = v.pipe(
  v.object({
    ...shown,
    ...onRequest(included),
    tasks: v.array(DealTask),
  }),
  v.title('DealWithTasks'),
);

const optionalFields = {
  contactId: v.optional(v.nullable(idInput())),
  currency: v.optional(currency()),
  probability: v.optional(integer(0, 100)),
  expectedCloseAt: v.optional(nullableTimeInput()),
  notes: v.optional(notes()),
  companyId: v.optional(v.nullable(idInput())),
  fields: v.optional(fieldsInput()),
};

/** Where a deal may open. `won` is let through, so that its refusal can say why (lib/deals/store.ts). */
function openingStage() {
  const stage = choice(activeDealStages);
  return {
    ...stage,
    '~run'(dataset: { value: unknown }, config: never) {
      const isWon = typeof dataset.value === 'string' && dataset.value.trim().toLowerCase() === 'won';
      return isWon ? { typed: true, value: 'won' } : stage['~run'](dataset as never, config);
    },
  } as unknown as v.GenericSchema<(typeof activeDealStages)[number], (typeof activeDealStages)[number] | 'won'>;
}

const value = () => money(0);

export const CreateDeal = v.pipe(
  v.object({
    title: title(),
    value: v.optional(value(), 0),
    stage: v.optional(openingStage()),
    pipelineId: v.optional(idInput()),
    columnId: v.optional(idInput()),
    assignedToUserId: v.optional(v.nullable(idInput())),
    metadata: v.optional(metadataInput()),
    ...optionalFields,
  }),
  v.title('CreateDeal'),
);
export type CreateDeal = v.InferOutput<typeof CreateDeal>;

export const PatchDeal = v.pipe(
  v.object({ title: v.optional(title()), value: v.optional(value()), ...optionalFields }),
  v.title('PatchDeal'),
);
export type PatchDeal = v.InferOutput<typeof PatchDeal>;

/** Fields that change with the column. */
export const movedByColumn = {
  pipelineId: 'POST /v1/deals/{id}/column',
  columnId: 'POST /v1/deals/{id}/column',
  lostReason: 'POST /v1/deals/{id}/column',
};

/** Fields that PATCH does not change, each with the operation that does. */
export const readOnlyInPatch = {
  stage: 'POST /v1/deals/{id}/stage',
  assignedToUserId: 'POST /v1/deals/{id}/assignee',
  ...movedByColumn,
  ...fixedInPatch('deals'),
};

const lostReason = () => v.optional(nullableText(500));

export const SetDealStage = v.pipe(
  v.object({ stage: choice(dealStages), lostReason: lostReason() }),
  v.title('SetDealStage'),
);
export const SetDealColumn = v.pipe(
  v.object({ columnId: idInput(), lostReason: lostReason() }),
  v.title('SetDealColumn'),
);
export const SetDealAssignee = v.pipe(v.object({ userId: v.nullable(idInput()) }), v.title('SetDealAssignee'));

export const DealQuery = v.object({
  ...paging,
  stage: v.optional(choice(dealStages)),
  pipelineId: v.optional(queryInteger()),
  columnId: v.optional(queryInteger()),
  contactId: v.optional(queryInteger()),
  companyId: v.optional(queryInteger()),
  assignedToUserId: v.optional(queryIdOrNone()),
  q: v.optional(queryText()),
  ...archivedFilter,
  minValue: v.optional(queryNumber()),
  maxValue: v.optional(queryNumber()),
  currency: v.optional(currency()),
  expectedCloseBefore: v.optional(queryTime()),
  ...DealInclude.entries,
  ...commonFilters,
  ...metadataFilter,
});

/** The text of a deal's entry by stage, by which those of a column are found. */
export const columnText = (columnId: number) => `column=${columnId};`;

/** A deal. `openTaskCount` is kept by the transactions that change tasks; `contactName` follows the contact. */
export const Deals = entity({
  name: 'deal',
  schema: v.object({
    ...common,
    /** The stage of its column. */
    stage: storedChoice(dealStages),
    pipelineId: id(),
    columnId: id(),
    columnSince: time(),
    lostReason: v.nullable(v.string()),
    assignedToUserId: v.nullable(id()),
    metadata: StoredMetadata,
    /** The income that winning it booked, once and for all. */
    wonTransactionId: v.nullable(id()),
    companyId: v.optional(v.nullable(id())),
    ...customValues,
    ...archivable,
  }),
  references: [
    { to: 'contact', field: 'contactId', shows: 'contactName' },
    {
      to: 'company',
      field: 'companyId',
      counts: 'openDealCount',
      isCounted: ({ stage }) => !isClosed(stage as DealStage),
    },
    { to: 'pipeline', field: 'pipelineId' },
    ...linkReferences,
  ],
  indexes: {
    stage: { of: ({ stage }) => stage, copy: ({ columnId }) => ({ text: columnText(columnId) }) },
    pipeline: { of: ({ pipelineId }) => pipelineId },
    contact: { of: ({ contactId }) => contactId },
    company: { of: ({ companyId }) => companyId ?? null },
    assignee: { of: ({ assignedToUserId }) => assignedToUserId ?? 'none' },
    closed: {
      of: ({ closedAt }) => closedAt !== null,
      order: ({ closedAt }) => String(closedAt),
      copy: ({ stage, currency, value, pipelineId }) => ({ stage, currency, value, pipelineId }),
    },
    ...valueIndexes,
    ...archiveIndex,
    metadata: metadataIndex,
  },
  isArchivable: true,
  countedBeside: ['openTaskCount'],
  counters: {
    /** Counts and totals per stage, currency, and column; `weighted` is cents times percent (contract sections 11 and 12). */
    deals: {
      of: ({ stage, currency, value, probability, columnId }) => {
        const cents = toCents(value, currency);
        return { name: `${stage}/${currency}/${columnId}`, add: { count: 1, cents, weighted: cents * probability } };
      },
    },
  },
});

export type StoredDeal = v.InferOutput<(typeof Deals)['schema']>;

/** A counter of deals by its name, and the board of its column. */
export function countedDeals(name: string) {
  const [stage = '', currency = '', columnId] = name.split('/');
  return { stage, currency, columnId: Number(columnId), pipelineId: boardIdOf(Number(columnId)) };
}

/** Returns the deal as lists show it, with the members of `include`. */
export const toDealView = (deal: StoredDeal): Omit<StoredDeal, 'stage'> & v.InferOutput<typeof Deal> => ({
  ...deal,
  stage: stageNames[deal.stage] ?? deal.stage,
  owner: { assignedToUserId: deal.assignedToUserId },
});
