import { parseFields } from '#lib/core/fields.ts';
import {
  archiveDeal,
  assignDeal,
  createDeal,
  moveDeal,
  moveDealToColumn,
  patchDeal,
  patchDealMetadata,
  putDealMetadata,
} from '#lib/deals/store.ts';
import { CreateDeal, Deals, PatchDeal, SetDealColumn, SetDealStage, type StoredDeal } from '#lib/entities/deal.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';
import { matchRecord } from './matching.ts';
import { type ImportedObject, named, only, type RowInput, type Values, within, withoutNull } from './object.ts';
import { takeRecord } from './record.ts';
import { companyNamed, contactNamed, memberAt } from './relations.ts';

const patched = [
  'title',
  'contactId',
  'companyId',
  'value',
  'currency',
  'probability',
  'expectedCloseAt',
  'notes',
] as const;
const plain = [...patched, 'assignedToUserId', 'columnId', 'lostReason'] as const;

/** Deals from rows. */
export const deals: ImportedObject = {
  targets: {
    id: 'integer',
    title: 'text',
    contact: 'text',
    contactId: 'integer',
    company: 'text',
    companyId: 'integer',
    value: 'money',
    currency: 'text',
    stage: 'text',
    pipelineId: 'integer',
    columnId: 'integer',
    lostReason: 'text',
    probability: 'integer',
    expectedCloseAt: 'time',
    assignee: 'text',
    assignedToUserId: 'integer',
    notes: 'text',
    metadata: 'json',
  },
  joined: { notes: '\n' },
  matchKeys: ['id'],
  matchesMetadata: true,

  async take(tx, { contact, company, assignee, ...rest }, rules) {
    const input = {
      ...rest,
      ...(typeof contact === 'string' && { contactId: await contactNamed(tx, contact.trim()) }),
      // An id says which company is meant where several have one name.
      ...(typeof company === 'string' &&
        rest['companyId'] === undefined && {
          companyId: await companyNamed(tx, company.trim(), 'company', rules.makesCompanies),
        }),
      ...(typeof assignee === 'string' && { assignedToUserId: await memberAt(tx, assignee) }),
    };
    return takeRecord(
      tx,
      {
        noun: 'deal',
        of: Deals,
        match: (_, matchOn, row) => matchRecord(tx, 'deal', Deals, matchOn, row),
        create,
        change,
        read,
      },
      input,
      rules,
    );
  },

  async remove(tx, { recordId }) {
    const deal = await tx.find(Deals, { id: recordId });
    if (deal === undefined || deal.archive) return false;
    await archiveDeal(tx, recordId);
    return true;
  },

  read,

  async giveBack(tx, id, old) {
    const { columnId } = old;
    if (typeof columnId === 'number')
      await moveDealToColumn(tx, id, { columnId, lostReason: old['lostReason'] as string });
    if (old['assignedToUserId'] !== undefined) await assignDeal(tx, id, old['assignedToUserId'] as number | null);
    const { metadata } = (await tx.find(Deals, { id })) as StoredDeal;
    await putDealMetadata(tx, id, withoutNull({ ...metadata, ...within('metadata', old) }));
    await patchDeal(tx, id, { ...only(patched, old), fields: within('fields', old) } as PatchDeal);
  },
};

/** Opens a deal, and moves it on where it is lost already: nothing opens there. Raises 400 for `won`, which is for the panel. */
async function create(tx: UnitOfWork, { stage, lostReason, ...row }: RowInput): Promise<number> {
  const given = stage === undefined ? undefined : parseFields(SetDealStage, { stage }).stage;
  const isLost = given === 'lost';
  const { columnId, ...rest } = row;
  const opening = isLost ? rest : { ...row, ...(given !== undefined && { stage: given }) };
  const { id } = await createDeal(tx, parseFields(CreateDeal, opening));
  if (!isLost) return id;
  const reason = { lostReason };
  if (columnId === undefined) await moveDeal(tx, id, parseFields(SetDealStage, { stage: 'lost', ...reason }));
  else await moveDealToColumn(tx, id, parseFields(SetDealColumn, { columnId, ...reason }));
  if (row['probability'] !== undefined)
    await patchDeal(tx, id, parseFields(PatchDeal, { probability: row['probability'] }));
  return id;
}

/** Changes a deal by the calls that each change a part of it: its column first, which has a probability. */
async function change(tx: UnitOfWork, id: number, row: RowInput): Promise<void> {
  const { stage, columnId, pipelineId: _, lostReason, assignedToUserId, metadata, ...rest } = row;
  const deal = (await tx.find(Deals, { id })) as StoredDeal;
  if (columnId !== undefined) {
    const move = parseFields(SetDealColumn, { columnId, lostReason });
    if (move.columnId !== deal.columnId) await moveDealToColumn(tx, id, move);
  } else if (stage !== undefined) {
    const move = parseFields(SetDealStage, { stage, lostReason });
    if (move.stage !== deal.stage) await moveDeal(tx, id, move);
  }
  if (assignedToUserId !== undefined)
    await assignDeal(tx, id, parseFields(CreateDeal, { title: '-', assignedToUserId }).assignedToUserId ?? null);
  if (metadata !== undefined)
    await patchDealMetadata(tx, id, parseFields(CreateDeal, { title: '-', metadata }).metadata ?? {});
  await patchDeal(tx, id, parseFields(PatchDeal, rest));
}

async function read(tx: UnitOfWork, id: number) {
  const deal = await tx.find(Deals, { id });
  if (deal === undefined || deal.archive) return undefined;
  const values: Values = {
    ...only(plain, deal),
    ...named('metadata', deal.metadata),
    ...named('fields', await shownValues(tx, 'deal', deal)),
  };
  return { values, updatedAt: deal.updatedAt };
}
