import type * as v from 'valibot';
import { isSameMetadata, mergedMetadata, withMetadata } from '#lib/core/metadata.ts';
import { requireDecimals } from '#lib/core/money.ts';
import { badRequest, conflict, notFound } from '#lib/core/problem.ts';
import { listTasksOfDeal } from '#lib/deals/task-store.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import {
  type CreateDeal,
  type Deal,
  type DealQuery,
  type DealStage,
  Deals,
  type DealWithTasks,
  defaultProbability,
  isClosed,
  type PatchDeal,
  type StoredDeal,
  toDealView,
} from '#lib/entities/deal.ts';
import { referredCompany, referredContact } from '#lib/entities/references/referred.ts';
import { changedFields, changesOf, idText } from '#lib/events/changes.ts';
import { book } from '#lib/finance/transaction-store.ts';
import { common } from '#lib/table/conditions.ts';
import { listPage, type Page, searched } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import {
  changeValues,
  setValues,
  shownValues,
  type ValueChange,
  valueHolder,
  withValues,
} from '#lib/workspaces/field-values.ts';
import { primeMember, requireActiveMember } from '#lib/workspaces/members.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';

type Shown = v.InferOutput<typeof DealWithTasks>;

/** Deals as holders of custom values. */
const dealValues = valueHolder('deal', Deals);

const getStoredDeal = (tx: UnitOfWork, id: number): Promise<StoredDeal> =>
  tx.get(Deals, { id }, () => notFound('deal'));

/** The deal with its tasks; two reads side by side. Raises 404. */
export async function getDeal(tx: UnitOfWork, id: number): Promise<Shown> {
  const [deal, tasks] = await readDeal(tx, id);
  return { ...toDealView(deal), tasks };
}

const readDeal = (tx: UnitOfWork, id: number) => Promise.all([getStoredDeal(tx, id), listTasksOfDeal(tx, id)]);

/** Deals in descending order of id; every filter is exact and may be combined. */
export async function listDeals(
  tx: UnitOfWork,
  { include, ...query }: v.InferOutput<typeof DealQuery>,
): Promise<Page<v.InferOutput<typeof Deal>>> {
  const page = await listPage(
    tx,
    Deals,
    listingFrom(Deals, query, {
      ...common,
      contactId: (contact) => ({ where: { contact } }),
      companyId: (company) => ({ where: { company } }),
      assignedToUserId: (assignee) => ({ where: { assignee } }),
      minValue: (least) => ({ matches: ({ value }) => value >= least }),
      maxValue: (most) => ({ matches: ({ value }) => value <= most }),
      expectedCloseBefore: (time) => ({
        matches: ({ expectedCloseAt }) => expectedCloseAt !== null && expectedCloseAt < time,
      }),
      metadata: (metadata) => ({ contains: { metadata: withMetadata(metadata) } }),
      q: (q) => ({ contains: { search: searched(q) } }),
    }),
  );
  return { ...page, items: page.items.map(toDealView) };
}

/** A new deal in an active stage (contract section 6). Emits deal.created. Raises 400 for `won`, which is for the panel. */
export async function createDeal(tx: UnitOfWork, { stage, ...input }: CreateDeal): Promise<Shown> {
  if (stage === 'won') throw wonIsPanelOnly();
  const [custom, contact, currency] = await Promise.all([
    changeValues(tx, dealValues, input.fields),
    referredContact(tx, input.contactId),
    input.currency ?? getWorkspace(tx).then((workspace) => workspace.currency),
    requireActiveMember(tx, 'assignedToUserId', input.assignedToUserId),
    tx.reserveIds({ [Deals.name]: 1 }),
  ]);
  requireDecimals('value', input.value, currency);
  const companyId = await referredCompany(tx, input.companyId === undefined ? primaryOf(contact) : input.companyId);
  const deal = tx.create(Deals, {
    id: await tx.nextId(Deals),
    title: input.title,
    contactId: contact?.id ?? null,
    contactName: contact?.name ?? null,
    value: input.value,
    currency,
    stage,
    probability: input.probability ?? defaultProbability[stage],
    expectedCloseAt: input.expectedCloseAt ?? null,
    closedAt: null,
    notes: input.notes ?? null,
    openTaskCount: 0,
    assignedToUserId: input.assignedToUserId ?? null,
    createdAt: tx.now,
    updatedAt: null,
    metadata: input.metadata ?? {},
    wonTransactionId: null,
    companyId,
    ...custom.values,
  });
  tx.emit({
    kind: 'deal.created',
    subject: `deal/${deal.id}`,
    data: {
      deal_id: String(deal.id),
      contact_id: idText(deal.contactId),
      title: deal.title,
      value: deal.value,
      currency: deal.currency,
      stage: deal.stage,
      probability: deal.probability,
      fields: setValues(custom),
      actor: tx.eventActor,
    },
  });
  return { ...toDealView(deal), tasks: [] };
}

/** Changes the given fields. Emits deal.updated unless nothing changed. Raises 409 for the amount of a Won deal. */
export async function patchDeal(tx: UnitOfWork, id: number, { fields, ...patch }: PatchDeal): Promise<Shown> {
  const [deal, tasks] = await readDeal(tx, id);
  const custom = await changeValues(tx, dealValues, fields, deal);
  const changed = changedFields(deal, patch);
  if (deal.stage === 'won' && changed.some((field) => field === 'value' || field === 'currency'))
    throw conflict(
      'deal_won',
      'value and currency of a won deal are booked and cannot change: book a transaction to correct them',
    );
  if (changed.length + custom.changed.length === 0) return { ...toDealView(deal), tasks };
  const next = { ...deal, ...custom.values, ...patch } as StoredDeal;
  if (changed.includes('value') || changed.includes('currency')) requireDecimals('value', next.value, next.currency);
  if (changed.includes('companyId')) await referredCompany(tx, next.companyId);
  if (changed.includes('contactId')) next.contactName = (await referredContact(tx, next.contactId))?.name ?? null;
  return { ...toDealView(updateDeal(tx, deal, next, changed, custom)), tasks };
}

const primaryOf = (contact: StoredContact | null) =>
  contact?.companyLinks?.find(({ isPrimary }) => isPrimary)?.companyId ?? null;

const wonIsPanelOnly = () =>
  badRequest(
    'won_is_panel_only',
    'a deal is won only in the panel, because that books revenue: ask a member to win it there',
  );

/** Moves the deal to any stage but won. Emits deal.stage_changed. The same stage changes nothing. */
export async function moveDeal(tx: UnitOfWork, id: number, stage: DealStage): Promise<Shown> {
  const [deal, tasks] = await readDeal(tx, id);
  if (stage === 'won') throw wonIsPanelOnly();
  return { ...toDealView(enterStage(tx, deal, stage)), tasks };
}

/** Gives the deal to a member, or to nobody. Raises 404, and 400 for `userId` that is not an active member. */
export async function assignDeal(tx: UnitOfWork, id: number, userId: number | null): Promise<Shown> {
  const [[deal, tasks]] = await Promise.all([readDeal(tx, id), primeMember(tx, userId)]);
  await requireActiveMember(tx, 'userId', userId);
  if (deal.assignedToUserId === userId) return { ...toDealView(deal), tasks };
  const assigned = updateDeal(tx, deal, { ...deal, assignedToUserId: userId }, ['assignedToUserId']);
  return { ...toDealView(assigned), tasks };
}

/**
 * Wins the deal, which books its value as income; what only the panel and the operator may do. A deal books income once in
 * its life: winning a Won deal changes nothing, and one that was moved on and is won again keeps the entry it has. A deal
 * without value books none.
 */
export async function winDeal(tx: UnitOfWork, id: number): Promise<Shown> {
  const [deal, tasks] = await readDeal(tx, id);
  if (deal.stage === 'won') return { ...toDealView(deal), tasks };
  let { wonTransactionId } = deal;
  if (wonTransactionId === null && deal.value > 0) {
    const { title, value, currency, contactId } = deal;
    const facts = { amount: value, currency, contactId, dealId: id, description: title, source: 'deal' } as const;
    wonTransactionId = (await book(tx, { ...facts, type: 'income', status: 'realized', occurredAt: tx.now })).id;
  }
  return { ...toDealView(enterStage(tx, { ...deal, wonTransactionId }, 'won')), tasks };
}

function enterStage(tx: UnitOfWork, deal: StoredDeal, stage: DealStage): StoredDeal {
  if (deal.stage === stage) return deal;
  const probability = defaultProbability[stage];
  const moved = saveDeal(tx, { ...deal, stage, probability, closedAt: isClosed(stage) ? tx.now : null });
  tx.emit({
    kind: 'deal.stage_changed',
    subject: `deal/${deal.id}`,
    data: {
      deal_id: String(deal.id),
      contact_id: idText(deal.contactId),
      from_stage: deal.stage,
      to_stage: stage,
      value: deal.value,
      currency: deal.currency,
      closed_at: moved.closedAt,
      actor: tx.eventActor,
    },
  });
  return moved;
}

/** Returns the custom values of a deal. Raises 404. */
export const getDealFields = async (tx: UnitOfWork, id: number) => ({
  fields: await shownValues(tx, 'deal', await getStoredDeal(tx, id)),
});

/** Sets the given custom values; null clears. Emits deal.updated unless nothing changed. Raises 400, 404, 409. */
export async function patchDealFields(tx: UnitOfWork, id: number, fields: Record<string, unknown>) {
  await patchDeal(tx, id, { fields });
  return getDealFields(tx, id);
}

export const getDealMetadata = async (tx: UnitOfWork, id: number) => ({
  metadata: (await getStoredDeal(tx, id)).metadata,
});

/** Sets some pairs of the metadata, and removes those of null. Emits deal.updated unless nothing changed. */
export async function patchDealMetadata(tx: UnitOfWork, id: number, change: Record<string, string | null>) {
  const { metadata } = await getStoredDeal(tx, id);
  return putDealMetadata(tx, id, mergedMetadata(metadata, change));
}

/** Replaces the metadata. Emits deal.updated unless nothing changed. */
export async function putDealMetadata(tx: UnitOfWork, id: number, metadata: Record<string, string>) {
  const deal = await getStoredDeal(tx, id);
  if (!isSameMetadata(deal.metadata, metadata)) updateDeal(tx, deal, { ...deal, metadata }, ['metadata']);
  return { metadata };
}

function updateDeal(
  tx: UnitOfWork,
  before: StoredDeal,
  after: StoredDeal,
  changed: readonly (keyof StoredDeal)[],
  custom?: ValueChange,
): StoredDeal {
  const deal = saveDeal(tx, after);
  tx.emit({
    kind: 'deal.updated',
    subject: `deal/${deal.id}`,
    data: { deal_id: String(deal.id), ...withValues(changesOf(before, after, changed), custom), actor: tx.eventActor },
  });
  return deal;
}

function saveDeal(tx: UnitOfWork, after: StoredDeal): StoredDeal {
  return tx.update(Deals, { ...after, updatedAt: tx.now });
}
