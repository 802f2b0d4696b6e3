import * as v from 'valibot';
import { choice, idInput } from '#lib/core/schema.ts';
import { CreateDeal, DealWithTasks, movedByColumn, PatchDeal, SetDealStage } from '#lib/entities/deal.ts';
import { batchAnswer, batchBody, batchOp } from '#lib/table/batch.ts';
import { createDeal, moveDeal, patchDeal } from './store.ts';

const touches = (item: { id: number }) => `deal/${item.id}`;

/** Kinds of items in a batch of deals (contract section 6). */
export const dealOps = {
  create: batchOp({
    schema: v.pipe(v.object({ op: choice(['create']), ...CreateDeal.entries }), v.title('CreateDealItem')),
    run: async (tx, item) => ({ status: 201, shown: await createDeal(tx, item) }),
  }),
  update: batchOp({
    schema: v.pipe(
      v.object({ op: choice(['update']), id: idInput(), ...PatchDeal.entries }),
      v.title('UpdateDealItem'),
    ),
    readOnly: {
      stage: 'op stage',
      ...movedByColumn,
      assignedToUserId: 'POST /v1/deals/{id}/assignee',
      metadata: 'PATCH /v1/deals/{id}/metadata',
    },
    touches,
    run: async (tx, { op, id, ...patch }) => ({ status: 200, shown: await patchDeal(tx, id, patch) }),
  }),
  stage: batchOp({
    schema: v.pipe(
      v.object({ op: choice(['stage']), id: idInput(), ...SetDealStage.entries }),
      v.title('SetDealStageItem'),
    ),
    touches,
    run: async (tx, item) => ({ status: 200, shown: await moveDeal(tx, item.id, item) }),
  }),
};

export const DealBatch = batchBody('DealBatch', dealOps);
export const DealBatchResults = batchAnswer('DealBatchResults', 'deal', DealWithTasks);
