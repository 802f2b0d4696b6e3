import { parseFields } from '#lib/core/fields.ts';
import {
  archiveTask,
  createTask,
  patchTask,
  patchTaskMetadata,
  putTaskMetadata,
  setTaskStatus,
} from '#lib/deals/task-store.ts';
import { CreateTask, PatchTask, SetTaskStatus, type StoredTask, type TaskStatus, Tasks } from '#lib/entities/task.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';
import { matchRecord } from './matching.ts';
import { type ImportedObject, named, only, type RowInput, type Values, within, withoutNull } from './object.ts';
import { takeRecord } from './record.ts';
import { contactNamed, dealNamed, memberAt } from './relations.ts';

const patched = [
  'title',
  'description',
  'priority',
  'dueAt',
  'remindAt',
  'contactId',
  'dealId',
  'assignedToUserId',
] as const;
const plain = [...patched, 'status'] as const;

/** Tasks from rows. */
export const tasks: ImportedObject = {
  targets: {
    id: 'integer',
    title: 'text',
    description: 'text',
    status: 'text',
    priority: 'text',
    dueAt: 'time',
    remindAt: 'time',
    contact: 'text',
    contactId: 'integer',
    deal: 'text',
    dealId: 'integer',
    assignee: 'text',
    assignedToUserId: 'integer',
    metadata: 'json',
  },
  joined: { description: '\n' },
  matchKeys: ['id'],
  matchesMetadata: true,

  async take(tx, { contact, deal, assignee, ...rest }, rules) {
    const contactId =
      typeof contact === 'string' ? await contactNamed(tx, contact.trim()) : (rest['contactId'] as number | undefined);
    const input = {
      ...rest,
      ...(contactId !== undefined && { contactId }),
      ...(typeof deal === 'string' && { dealId: await dealNamed(tx, deal.trim(), contactId) }),
      ...(typeof assignee === 'string' && { assignedToUserId: await memberAt(tx, assignee) }),
    };
    return takeRecord(
      tx,
      {
        noun: 'task',
        of: Tasks,
        match: (_, matchOn, row) => matchRecord(tx, 'task', Tasks, matchOn, row),
        create: async (_, row) => (await createTask(tx, parseFields(CreateTask, row))).id,
        change,
        read,
      },
      input,
      rules,
    );
  },

  async remove(tx, { recordId }) {
    const task = await tx.find(Tasks, { id: recordId });
    if (task === undefined || task.archive) return false;
    await archiveTask(tx, recordId);
    return true;
  },

  read,

  async giveBack(tx, id, old) {
    if (old['status'] !== undefined) await setTaskStatus(tx, id, old['status'] as TaskStatus);
    const { metadata } = (await tx.find(Tasks, { id })) as StoredTask;
    await putTaskMetadata(tx, id, withoutNull({ ...metadata, ...within('metadata', old) }));
    await patchTask(tx, id, { ...only(patched, old), fields: within('fields', old) } as PatchTask);
  },
};

/** Changes a task by the calls that each change a part of it. */
async function change(tx: UnitOfWork, id: number, { status, metadata, ...rest }: RowInput): Promise<void> {
  if (status !== undefined) await setTaskStatus(tx, id, parseFields(SetTaskStatus, { status }).status);
  if (metadata !== undefined)
    await patchTaskMetadata(tx, id, parseFields(CreateTask, { title: '-', metadata }).metadata ?? {});
  await patchTask(tx, id, parseFields(PatchTask, rest));
}

async function read(tx: UnitOfWork, id: number) {
  const task = await tx.find(Tasks, { id });
  if (task === undefined || task.archive) return undefined;
  const values: Values = {
    ...only(plain, task),
    ...named('metadata', task.metadata),
    ...named('fields', await shownValues(tx, 'task', task)),
  };
  return { values, updatedAt: task.updatedAt };
}
