import * as v from 'valibot';
import { choice, idInput } from '#lib/core/schema.ts';
import { CreateTask, PatchTask, SetTaskStatus, Task } from '#lib/entities/task.ts';
import { batchAnswer, batchBody, batchOp } from '#lib/table/batch.ts';
import { createTask, patchTask, setTaskStatus } from './task-store.ts';

const touches = (item: { id: number }) => `task/${item.id}`;

/** Kinds of items in a batch of tasks (contract section 7). */
export const taskOps = {
  create: batchOp({
    schema: v.pipe(v.object({ op: choice(['create']), ...CreateTask.entries }), v.title('CreateTaskItem')),
    run: async (tx, item) => ({ status: 201, shown: await createTask(tx, item) }),
  }),
  update: batchOp({
    schema: v.pipe(
      v.object({ op: choice(['update']), id: idInput(), ...PatchTask.entries }),
      v.title('UpdateTaskItem'),
    ),
    readOnly: { status: 'op status', metadata: 'PATCH /v1/tasks/{id}/metadata' },
    touches,
    run: async (tx, { op, id, ...patch }) => ({ status: 200, shown: await patchTask(tx, id, patch) }),
  }),
  status: batchOp({
    schema: v.pipe(
      v.object({ op: choice(['status']), id: idInput(), ...SetTaskStatus.entries }),
      v.title('SetTaskStatusItem'),
    ),
    touches,
    run: async (tx, item) => ({ status: 200, shown: await setTaskStatus(tx, item.id, item.status) }),
  }),
};

export const TaskBatch = batchBody('TaskBatch', taskOps);
export const TaskBatchResults = batchAnswer('TaskBatchResults', 'task', Task);
