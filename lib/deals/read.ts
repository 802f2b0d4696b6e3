import type * as v from 'valibot';
import { notFound } from '#lib/core/problem.ts';
import { Deals, type DealWithTasks, type StoredDeal, toDealView } from '#lib/entities/deal.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';
import { listTasksOfDeal } from './task-read.ts';

export type ShownDeal = v.InferOutput<typeof DealWithTasks>;

/** The deal as stored. Raises 404. */
export const getStoredDeal = (tx: UnitOfWork, id: number): Promise<StoredDeal> =>
  tx.get(Deals, { id }, () => notFound('deal'));

/** The deal with its tasks; two reads side by side. Raises 404. */
export async function getDeal(tx: UnitOfWork, id: number): Promise<ShownDeal> {
  const [deal, tasks] = await readDeal(tx, id);
  return { ...toDealView(deal), tasks };
}

/** The deal as stored, and its tasks; two reads side by side. Raises 404. */
export const readDeal = (tx: UnitOfWork, id: number) => Promise.all([getStoredDeal(tx, id), listTasksOfDeal(tx, id)]);

/** Returns the custom values of a deal. Raises 404. */
export const getDealFields = async (tx: UnitOfWork, id: number) => ({
  fields: await shownValues(tx, 'deal', await getStoredDeal(tx, id)),
});

/** Returns the metadata of a deal. Raises 404. */
export const getDealMetadata = async (tx: UnitOfWork, id: number) => ({
  metadata: (await getStoredDeal(tx, id)).metadata,
});
