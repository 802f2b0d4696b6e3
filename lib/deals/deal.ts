import * as v from 'valibot';
import { metadataEntry, metadataFilter } from '#lib/metadata.ts';
import {
  choice,
  commonFilters,
  currency,
  id,
  integer,
  money,
  nullableText,
  nullableTimeInput,
  paging,
  queryInteger,
  queryNumber,
  queryText,
  text,
  time,
  timeInput,
} from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchEntry } from '#lib/table/list.ts';
import { DealTask } from '#lib/tasks/task.ts';

const activeStages = ['lead', 'qualified', 'proposal', 'negotiation'] as const;
export const dealStages = [...activeStages, 'won', 'lost'] as const;
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

const common = {
  id: v.number(),
  title: v.string(),
  contactId: v.nullable(v.number()),
  contactName: v.nullable(v.string()),
  value: v.number(),
  currency: v.string(),
  probability: integer(0, 100),
  expectedCloseAt: v.nullable(time()),
  closedAt: v.nullable(time()),
  notes: v.nullable(v.string()),
  openTaskCount: v.number(),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

const shown = { ...common, stage: v.picklist(Object.values(stageNames)) };

/** A deal as lists show it (base document, "Deal"). */
export const Deal = v.pipe(v.object(shown), v.title('Deal'));
/** A deal as get-by-id and the answers to writes show it. */
export const DealWithTasks = v.pipe(v.object({ ...shown, tasks: v.array(DealTask) }), v.title('DealWithTasks'));

const optionalFields = {
  contactId: v.optional(v.nullable(id())),
  currency: v.optional(currency()),
  probability: v.optional(integer(0, 100)),
  expectedCloseAt: v.optional(nullableTimeInput()),
  notes: v.optional(nullableText(10_000)),
};

const title = () => text(200);
const value = () => money(0);

export const CreateDeal = v.pipe(
  v.object({
    title: title(),
    value: v.optional(value(), 0),
    stage: v.optional(choice(activeStages), 'lead'),
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

export const DealStageBody = v.pipe(v.object({ stage: choice(dealStages) }), v.title('DealStage'));

export const DealQuery = v.object({
  ...paging,
  stage: v.optional(choice(dealStages)),
  contactId: v.optional(queryInteger()),
  q: v.optional(queryText()),
  minValue: v.optional(queryNumber()),
  maxValue: v.optional(queryNumber()),
  currency: v.optional(currency()),
  expectedCloseBefore: v.optional(timeInput()),
  ...commonFilters,
  ...metadataFilter,
});

/** `openTaskCount` is kept by the transactions that change tasks; `contactName` follows the contact. */
export const Deals = entity({
  name: 'deal',
  schema: v.object({
    ...common,
    stage: v.picklist(dealStages),
    metadata: v.record(v.string(), v.string()),
    /** The income that winning it booked, once and for all. */
    wonTransactionId: v.nullable(v.number()),
  }),
  indexes: (deal) => [
    { name: `stage=${deal.stage}` },
    { name: `currency=${deal.currency}` },
    deal.contactId !== null && { name: `contact=${deal.contactId}` },
    deal.closedAt !== null && {
      name: 'closed',
      order: deal.closedAt,
      copy: { stage: deal.stage, currency: deal.currency, value: deal.value },
    },
    metadataEntry(deal.metadata),
    searchEntry([deal.title]),
  ],
});

export type StoredDeal = v.InferOutput<(typeof Deals)['schema']>;
