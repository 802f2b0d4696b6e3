import { isSameMetadata, mergedMetadata } from '#lib/core/metadata.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { presentId } from '#lib/entities/references/merged.ts';
import { referredContact, referredDeal } from '#lib/entities/references/referred.ts';
import {
  type CreateTask,
  isOpen,
  type PatchTask,
  type StoredTask,
  type TaskStatus,
  Tasks,
} from '#lib/entities/task.ts';
import { changedFields, changesOf, idText } from '#lib/events/changes.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { requireActiveMember } from '#lib/workspaces/active-members.ts';
import { archiving } from '#lib/workspaces/archive.ts';
import { valueHolder } from '#lib/workspaces/fields.ts';
import { changeValues, freeValues, setValues, type ValueChange, withValues } from '#lib/workspaces/value-changes.ts';
import { getStoredTask, getTaskFields, type ShownTask, toShown } from './task-read.ts';

/** Tasks as holders of custom values. */
const taskValues = valueHolder('task', Tasks);

/** A new task (contract section 7). Its contact is its deal's unless given. Emits task.created. */
export async function createTask(tx: UnitOfWork, input: CreateTask): Promise<ShownTask> {
  const [custom, deal, contact] = await Promise.all([
    changeValues(tx, taskValues, input.fields),
    referredDeal(tx, input.dealId),
    referredContact(tx, input.contactId),
    requireActiveMember(tx, 'assignedToUserId', input.assignedToUserId),
    tx.reserveIds({ [Tasks.name]: 1 }),
  ]);
  const ofDeal = input.contactId === undefined ? (deal?.contactId ?? null) : null;
  const contactId = contact?.id ?? (await presentId(tx, ofDeal));
  if (contactId !== null) tx.requireExists(Contacts, { id: contactId });
  const given = {
    id: await tx.nextId(Tasks),
    title: input.title,
    description: input.description ?? null,
    status: input.status,
    priority: input.priority ?? 'medium',
    dueAt: input.dueAt ?? null,
    remindAt: input.remindAt ?? null,
    contactId,
    dealId: deal?.id ?? null,
    assignedToUserId: input.assignedToUserId ?? null,
    completedAt: input.status === 'done' ? tx.now : null,
    createdAt: tx.now,
    updatedAt: null,
    metadata: input.metadata ?? {},
    ...custom.values,
  };
  const task = tx.create(Tasks, withReminder(tx, given));
  countOpen(tx, task, 1);
  tx.emit({
    kind: 'task.created',
    subject: `task/${task.id}`,
    data: {
      task_id: String(task.id),
      title: task.title,
      status: task.status,
      priority: task.priority,
      due_at: task.dueAt,
      contact_id: idText(task.contactId),
      deal_id: idText(task.dealId),
      assigned_to_user_id: idText(task.assignedToUserId),
      fields: setValues(custom),
      actor: tx.eventActor,
    },
  });
  return toShown(tx, task);
}

/** Changes the given fields. Emits task.updated unless nothing changed. */
export async function patchTask(tx: UnitOfWork, id: number, { fields, ...patch }: PatchTask): Promise<ShownTask> {
  const task = await getStoredTask(tx, id);
  const custom = await changeValues(tx, taskValues, fields, task);
  const changed = changedFields(task, patch);
  if (changed.length + custom.changed.length === 0) return toShown(tx, task);
  await Promise.all([
    changed.includes('dealId') && referredDeal(tx, patch.dealId),
    changed.includes('contactId') && referredContact(tx, patch.contactId),
    changed.includes('assignedToUserId') && requireActiveMember(tx, 'assignedToUserId', patch.assignedToUserId),
  ]);
  return toShown(tx, updateTask(tx, task, { ...task, ...custom.values, ...patch } as StoredTask, changed, custom));
}

/** Any status from any other; done stamps completedAt. Emits task.status_changed. The same status changes nothing. */
export async function setTaskStatus(tx: UnitOfWork, id: number, status: TaskStatus): Promise<ShownTask> {
  const task = await getStoredTask(tx, id);
  if (task.status === status) return toShown(tx, task);
  const next = saveTask(tx, task, { ...task, status, completedAt: status === 'done' ? tx.now : null });
  tx.emit({
    kind: 'task.status_changed',
    subject: `task/${id}`,
    data: {
      task_id: String(id),
      from_status: task.status,
      to_status: status,
      completed_at: next.completedAt,
      actor: tx.eventActor,
    },
  });
  return toShown(tx, next);
}

/** Archives and restores tasks. */
const records = archiving({
  of: Tasks,
  archived: (tx, task) => countOpen(tx, task, -1),
  async restored(tx, task) {
    countOpen(tx, task, 1);
    return withReminder(tx, await freeValues(tx, taskValues, task));
  },
});

/** Archives a task; an archived one stays as it is. Emits task.archived. Raises 404. */
export const archiveTask = async (tx: UnitOfWork, id: number): Promise<ShownTask> =>
  toShown(tx, await records.archive(tx, id));

/** Restores a task; one that is not archived stays as it is. Emits task.restored. Raises 404, 409 `field_value_taken`. */
export const restoreTask = async (tx: UnitOfWork, id: number): Promise<ShownTask> =>
  toShown(tx, await records.restore(tx, id));

/** Sets the given custom values; null clears. Emits task.updated unless nothing changed. Raises 400, 404, 409. */
export async function patchTaskFields(tx: UnitOfWork, id: number, fields: Record<string, unknown>) {
  await patchTask(tx, id, { fields });
  return getTaskFields(tx, id);
}

/** Sets some pairs of the metadata, and removes those of null. Emits task.updated unless nothing changed. */
export async function patchTaskMetadata(tx: UnitOfWork, id: number, change: Record<string, string | null>) {
  const { metadata } = await getStoredTask(tx, id);
  return putTaskMetadata(tx, id, mergedMetadata(metadata, change));
}

/** Replaces the metadata. Emits task.updated unless nothing changed. */
export async function putTaskMetadata(tx: UnitOfWork, id: number, metadata: Record<string, string>) {
  const task = await getStoredTask(tx, id);
  if (!isSameMetadata(task.metadata, metadata)) updateTask(tx, task, { ...task, metadata }, ['metadata']);
  return { metadata };
}

function updateTask(
  tx: UnitOfWork,
  before: StoredTask,
  after: StoredTask,
  changed: readonly (keyof StoredTask)[],
  custom?: ValueChange,
): StoredTask {
  tx.emit({
    kind: 'task.updated',
    subject: `task/${before.id}`,
    data: {
      task_id: String(before.id),
      ...withValues(changesOf(before, after, changed), custom),
      actor: tx.eventActor,
    },
  });
  return saveTask(tx, before, after);
}

function saveTask(tx: UnitOfWork, before: StoredTask, after: StoredTask): StoredTask {
  if (before.dealId !== after.dealId || isOpen(before) !== isOpen(after)) {
    countOpen(tx, before, -1);
    countOpen(tx, after, 1);
  }
  const isOther = before.remindAt !== after.remindAt || isOpen(before) !== isOpen(after);
  return tx.update(Tasks, { ...(isOther ? withReminder(tx, after) : after), updatedAt: tx.now });
}

/** Returns the task, which awaits its reminder if that is ahead and the task is not done. */
function withReminder(tx: UnitOfWork, { awaitsReminder, ...task }: StoredTask): StoredTask {
  return task.remindAt !== null && task.remindAt > tx.now && isOpen(task) ? { ...task, awaitsReminder: true } : task;
}

/** Emits task.reminder_due once if the time of the reminder has come. A done or archived task emits nothing. */
export async function remindOfTask(tx: UnitOfWork, id: number): Promise<void> {
  const task = await tx.find(Tasks, { id });
  if (!task?.awaitsReminder || task.archive || task.remindAt === null || task.remindAt > tx.now) return;
  const { awaitsReminder, ...reminded } = task;
  tx.update(Tasks, reminded);
  tx.emit({
    kind: 'task.reminder_due',
    subject: `task/${id}`,
    data: {
      task_id: String(id),
      title: task.title,
      assigned_to_user_id: idText(task.assignedToUserId),
      contact_id: idText(task.contactId),
      deal_id: idText(task.dealId),
    },
  });
}

/** The deal's `openTaskCount`, in the transaction that changes it. */
function countOpen(tx: UnitOfWork, task: StoredTask, sign: 1 | -1): void {
  if (isOpen(task) && task.dealId !== null) tx.add(Deals, { id: task.dealId }, { openTaskCount: sign });
}
