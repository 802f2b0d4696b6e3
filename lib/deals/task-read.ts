import * as v from 'valibot';
import { notFound } from '#lib/core/problem.ts';
import {
  type DealTask,
  maxTasksInDeal,
  type StoredTask,
  type Task,
  TaskCopy,
  Tasks,
  toTaskView,
} from '#lib/entities/task.ts';
import { entries } from '#lib/table/entries.ts';
import { flatten } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';

export type ShownTask = v.InferOutput<typeof Task>;

/** The task as stored. Raises 404. */
export const getStoredTask = (tx: UnitOfWork, id: number): Promise<StoredTask> =>
  tx.get(Tasks, { id }, () => notFound('task'));

/** The task. Raises 404. */
export const getTask = async (tx: UnitOfWork, id: number): Promise<ShownTask> =>
  toShown(tx, await getStoredTask(tx, id));

/** The task as answers show it now. */
export const toShown = <T extends v.InferOutput<typeof TaskCopy>>(tx: UnitOfWork, task: T) => toTaskView(task, tx.now);

/** The newest tasks of a deal as it shows them, descending by id. One round trip. */
export async function listTasksOfDeal(tx: UnitOfWork, dealId: number): Promise<v.InferOutput<typeof DealTask>[]> {
  const copies: v.InferOutput<typeof TaskCopy>[] = [];
  for await (const entry of flatten(entries(tx, Tasks, { deal: dealId }, { limit: maxTasksInDeal }))) {
    const { archive, ...copy } = v.parse(TaskCopy, entry);
    if (archive === undefined && copies.push(copy) === maxTasksInDeal) break;
  }
  return copies.map((copy) => toShown(tx, copy));
}

/** Returns the custom values of a task. Raises 404. */
export const getTaskFields = async (tx: UnitOfWork, id: number) => ({
  fields: await shownValues(tx, 'task', await getStoredTask(tx, id)),
});

/** Returns the metadata of a task. Raises 404. */
export const getTaskMetadata = async (tx: UnitOfWork, id: number) => ({
  metadata: (await getStoredTask(tx, id)).metadata,
});
