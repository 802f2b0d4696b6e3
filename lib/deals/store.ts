import { isSameMetadata, mergedMetadata } from '#lib/core/metadata.ts';
import { requireDecimals } from '#lib/core/money.ts';
import { conflict, invalidField } from '#lib/core/problem.ts';
import {
  enter,
  openColumns,
  openingPlace,
  type Place,
  placeOfColumn,
  placeOfStage,
  readBoards,
  wonIsPanelOnly,
} from '#lib/deals/boards.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import {
  type CreateDeal,
  type DealStage,
  Deals,
  isClosed,
  type PatchDeal,
  type StoredDeal,
  toDealView,
} from '#lib/entities/deal.ts';
import { boardIdOf, Pipelines } from '#lib/entities/pipeline.ts';
import { referredCompany, referredContact } from '#lib/entities/references/referred.ts';
import { changedFields, changesOf, idText } from '#lib/events/changes.ts';
import { book } from '#lib/finance/transaction-store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { primeMember, requireActiveMember } from '#lib/workspaces/active-members.ts';
import { archiving } from '#lib/workspaces/archive.ts';
import { valueHolder } from '#lib/workspaces/fields.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { changeValues, freeValues, setValues, type ValueChange, withValues } from '#lib/workspaces/value-changes.ts';
import { getDealFields, getStoredDeal, readDeal, type ShownDeal } from './read.ts';
import { listTasksOfDeal } from './task-read.ts';

/** Deals as holders of custom values. */
const dealValues = valueHolder('deal', Deals);

/** A new deal in an active stage (contract section 6). Emits deal.created. Raises 400 for `won`, which is for the panel. */
export async function createDeal(tx: UnitOfWork, { stage, ...input }: CreateDeal): Promise<ShownDeal> {
  if (stage === 'won') throw wonIsPanelOnly();
  const [boards, custom, contact, currency] = await Promise.all([
    readBoards(tx),
    changeValues(tx, dealValues, input.fields),
    referredContact(tx, input.contactId),
    input.currency ?? getWorkspace(tx).then((workspace) => workspace.currency),
    requireActiveMember(tx, 'assignedToUserId', input.assignedToUserId),
    tx.reserveIds({ [Deals.name]: 1 }),
  ]);
  const { board, column } = openingPlace(boards, { stage, ...input });
  requireDecimals('value', input.value, currency);
  const companyId = await referredCompany(tx, input.companyId === undefined ? primaryOf(contact) : input.companyId);
  enter(tx, column);
  const deal = tx.create(Deals, {
    id: await tx.nextId(Deals),
    title: input.title,
    contactId: contact?.id ?? null,
    contactName: contact?.name ?? null,
    value: input.value,
    currency,
    stage: column.stage,
    pipelineId: board.id,
    columnId: column.id,
    columnSince: tx.now,
    lostReason: null,
    probability: input.probability ?? column.probability,
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
export async function patchDeal(tx: UnitOfWork, id: number, { fields, ...patch }: PatchDeal): Promise<ShownDeal> {
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

/**
 * Moves the deal to the first column of a stage, of any but won. Emits deal.column_changed and deal.stage_changed. The same stage
 * changes nothing.
 */
export async function moveDeal(
  tx: UnitOfWork,
  id: number,
  { stage, lostReason }: { stage: DealStage; lostReason?: string | null | undefined },
): Promise<ShownDeal> {
  const [[deal, tasks], boards] = await Promise.all([readDeal(tx, id), readBoards(tx)]);
  if (stage === 'won') throw wonIsPanelOnly();
  requireLost(stage, lostReason);
  if (deal.stage === stage) return { ...toDealView(deal), tasks };
  return { ...toDealView(enterColumn(tx, deal, placeOfStage(boards, deal.pipelineId, stage), lostReason)), tasks };
}

/**
 * Moves the deal to a column, of its board or of another one. Emits deal.column_changed, and deal.stage_changed where the stage is
 * another. The same column changes nothing. Raises 400.
 */
export async function moveDealToColumn(
  tx: UnitOfWork,
  id: number,
  { columnId, lostReason }: { columnId: number; lostReason?: string | null | undefined },
): Promise<ShownDeal> {
  const [[deal, tasks], board] = await Promise.all([readDeal(tx, id), tx.find(Pipelines, { id: boardIdOf(columnId) })]);
  if (deal.columnId === columnId && deal.stage !== 'won') {
    requireLost(deal.stage, lostReason);
    return { ...toDealView(deal), tasks };
  }
  const place = placeOfColumn(board ? [board] : [], columnId);
  if (place.column.stage === 'won') throw wonIsPanelOnly();
  requireLost(place.column.stage, lostReason);
  return { ...toDealView(enterColumn(tx, deal, place, lostReason)), tasks };
}

function requireLost(stage: DealStage, lostReason: string | null | undefined): void {
  if (typeof lostReason === 'string' && stage !== 'lost')
    throw invalidField('lostReason', 'not_allowed', `lostReason is only for lost, not for ${stage}: leave it out`);
}

/** Gives the deal to a member, or to nobody. Raises 404, and 400 for `userId` that is not an active member. */
export async function assignDeal(tx: UnitOfWork, id: number, userId: number | null): Promise<ShownDeal> {
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
export async function winDeal(tx: UnitOfWork, id: number): Promise<ShownDeal> {
  const [[deal, tasks], boards] = await Promise.all([readDeal(tx, id), readBoards(tx)]);
  if (deal.stage === 'won') return { ...toDealView(deal), tasks };
  let { wonTransactionId } = deal;
  if (wonTransactionId === null && deal.value > 0) {
    const { title, value, currency, contactId } = deal;
    const facts = { amount: value, currency, contactId, dealId: id, description: title, source: 'deal' } as const;
    wonTransactionId = (await book(tx, { ...facts, type: 'income', status: 'realized', occurredAt: tx.now })).id;
  }
  const place = placeOfStage(boards, deal.pipelineId, 'won');
  return { ...toDealView(enterColumn(tx, { ...deal, wonTransactionId }, place)), tasks };
}

/** Puts the deal into a column, with its probability. Emits deal.column_changed, and deal.stage_changed where the stage is another. */
export function enterColumn(
  tx: UnitOfWork,
  deal: StoredDeal,
  { board, column }: Place,
  lostReason: string | null = null,
): StoredDeal {
  const { stage, probability } = column;
  const isOther = stage !== deal.stage;
  enter(tx, column);
  const moved = saveDeal(tx, {
    ...deal,
    stage,
    probability,
    pipelineId: board.id,
    columnId: column.id,
    columnSince: tx.now,
    lostReason: isOther || stage !== 'lost' ? lostReason : (lostReason ?? deal.lostReason),
    ...(isOther && { closedAt: isClosed(stage) ? tx.now : null }),
  });
  const subject = `deal/${deal.id}`;
  tx.emit({
    kind: 'deal.column_changed',
    subject,
    data: {
      deal_id: String(deal.id),
      pipeline_id: String(board.id),
      from_column_id: String(deal.columnId),
      to_column_id: String(column.id),
      actor: tx.eventActor,
    },
  });
  if (isOther)
    tx.emit({
      kind: 'deal.stage_changed',
      subject,
      data: {
        deal_id: String(deal.id),
        contact_id: idText(deal.contactId),
        from_stage: deal.stage,
        to_stage: stage,
        value: deal.value,
        currency: deal.currency,
        closed_at: moved.closedAt,
        lost_reason: moved.lostReason,
        pipeline_id: String(board.id),
        actor: tx.eventActor,
      },
    });
  return moved;
}

/** Archives and restores deals. */
const records = archiving({
  of: Deals,
  restored: async (tx, deal) => returned(tx, await freeValues(tx, dealValues, deal)),
});

/** Returns a restored deal in its column, or where that takes no deals any more, in the first one of its stage. */
async function returned(tx: UnitOfWork, deal: StoredDeal): Promise<StoredDeal> {
  const boards = await readBoards(tx);
  const board = boards.find(({ id }) => id === deal.pipelineId);
  // Closed deals stay in an archived board.
  const columns = board?.isArchived && isClosed(deal.stage) ? board.columns : board ? openColumns(board) : [];
  const column = columns.find(({ id }) => id === deal.columnId);
  if (board === undefined || column === undefined)
    return enterColumn(tx, deal, placeOfStage(boards, deal.pipelineId, deal.stage));
  if (board.isArchived) tx.requireUnchanged(Pipelines, board);
  else enter(tx, column);
  return deal;
}

/** Archives a deal; an archived one stays as it is. Emits deal.archived. Raises 404. */
export async function archiveDeal(tx: UnitOfWork, id: number): Promise<ShownDeal> {
  const [deal, tasks] = await Promise.all([records.archive(tx, id), listTasksOfDeal(tx, id)]);
  return { ...toDealView(deal), tasks };
}

/** Restores a deal; one that is not archived stays as it is. Emits deal.restored. Raises 404, 409 `field_value_taken`. */
export async function restoreDeal(tx: UnitOfWork, id: number): Promise<ShownDeal> {
  const [deal, tasks] = await Promise.all([records.restore(tx, id), listTasksOfDeal(tx, id)]);
  return { ...toDealView(deal), tasks };
}

/** Sets the given custom values; null clears. Emits deal.updated unless nothing changed. Raises 400, 404, 409. */
export async function patchDealFields(tx: UnitOfWork, id: number, fields: Record<string, unknown>) {
  await patchDeal(tx, id, { fields });
  return getDealFields(tx, id);
}

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
