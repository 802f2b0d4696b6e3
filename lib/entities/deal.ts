import * as v from 'valibot';
import { activeDealStages, dealStages } from '#lib/core/choices.ts';
import { fieldsInput, shownFields } from '#lib/core/custom-fields.ts';
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
import { searchable } from '#lib/table/list.ts';
import { customValues, linkReferences, valueIndexes } from './field.ts';
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
  company: v.nullable(v.pipe(v.object({ id: id(), name: v.string() }), v.title('DealCompany'))),
  owner: v.pipe(v.object({ assignedToUserId: v.nullable(id()) }), v.title('DealOwner')),
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
    stage: v.optional(openingStage(), 'lead'),
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

/** Fields that PATCH does not change, each with the operation that does. */
export const readOnlyInPatch = {
  stage: 'POST /v1/deals/{id}/stage',
  assignedToUserId: 'POST /v1/deals/{id}/assignee',
  ...fixedInPatch('deals'),
};

export const SetDealStage = v.pipe(v.object({ stage: choice(dealStages) }), v.title('SetDealStage'));
export const SetDealAssignee = v.pipe(v.object({ userId: v.nullable(idInput()) }), v.title('SetDealAssignee'));

export const DealQuery = v.object({
  ...paging,
  stage: v.optional(choice(dealStages)),
  contactId: v.optional(queryInteger()),
  companyId: v.optional(queryInteger()),
  assignedToUserId: v.optional(queryIdOrNone()),
  q: v.optional(queryText()),
  minValue: v.optional(queryNumber()),
  maxValue: v.optional(queryNumber()),
  currency: v.optional(currency()),
  expectedCloseBefore: v.optional(queryTime()),
  ...DealInclude.entries,
  ...commonFilters,
  ...metadataFilter,
});

/** A deal. `openTaskCount` is kept by the transactions that change tasks; `contactName` follows the contact. */
export const Deals = entity({
  name: 'deal',
  schema: v.object({
    ...common,
    stage: storedChoice(dealStages),
    assignedToUserId: v.nullable(id()),
    metadata: StoredMetadata,
    /** The income that winning it booked, once and for all. */
    wonTransactionId: v.nullable(id()),
    companyId: v.optional(v.nullable(id())),
    ...customValues,
  }),
  references: [
    { to: 'contact', field: 'contactId', shows: 'contactName' },
    {
      to: 'company',
      field: 'companyId',
      counts: 'openDealCount',
      isCounted: ({ stage }) => !isClosed(stage as DealStage),
    },
    ...linkReferences,
  ],
  indexes: {
    stage: { of: ({ stage }) => stage },
    currency: { of: ({ currency }) => currency },
    contact: { of: ({ contactId }) => contactId },
    company: { of: ({ companyId }) => companyId ?? null },
    assignee: { of: ({ assignedToUserId }) => assignedToUserId ?? 'none' },
    closed: {
      of: ({ closedAt }) => closedAt !== null,
      order: ({ closedAt }) => String(closedAt),
      copy: ({ stage, currency, value }) => ({ stage, currency, value }),
    },
    ...valueIndexes,
    metadata: metadataIndex,
    search: { copy: ({ title }) => searchable(title) },
  },
  counters: {
    /** Counts and totals per stage and currency; `weighted` is cents times percent (contract sections 11 and 12). */
    deals: {
      of: ({ stage, currency, value, probability }) => {
        const cents = toCents(value, currency);
        return { name: `${stage}/${currency}`, add: { count: 1, cents, weighted: cents * probability } };
      },
    },
  },
});

export type StoredDeal = v.InferOutput<(typeof Deals)['schema']>;

/** Returns the deal as lists show it, with the members of `include`. */
export const toDealView = (deal: StoredDeal): Omit<StoredDeal, 'stage'> & v.InferOutput<typeof Deal> => ({
  ...deal,
  stage: stageNames[deal.stage] ?? deal.stage,
  owner: { assignedToUserId: deal.assignedToUserId },
});
