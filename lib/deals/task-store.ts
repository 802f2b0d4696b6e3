import * as v from 'valibot';
import { isSameMetadata, mergedMetadata, withMetadata } from '#lib/core/metadata.ts';
import { notFound } from '#lib/core/problem.ts';
import { wordsOf } from '#lib/core/text.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { presentId } from '#lib/entities/references/merged.ts';
import { referredContact, referredDeal } from '#lib/entities/references/referred.ts';
import {
  type CreateTask,
  type DealTask,
  isOpen,
  isOverdue,
  maxTasksInDeal,
  type PatchTask,
  type StoredTask,
  type Task,
  TaskCopy,
  type TaskQuery,
  type TaskStatus,
  Tasks,
  toTaskView,
} from '#lib/entities/task.ts';
import { changedFields, changesOf, idText } from '#lib/events/changes.ts';
import { listNoun } from '#lib/search/list.ts';
import { common, holding } from '#lib/table/conditions.ts';
import { entries } from '#lib/table/entries.ts';
import type { Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { flatten } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { requireActiveMember } from '#lib/workspaces/active-members.ts';
import { archiving } from '#lib/workspaces/archive.ts';
import { shownValues } from '#lib/workspaces/fields.ts';
import {
  changeValues,
  freeValues,
  setValues,
  type ValueChange,
  valueHolder,
  withValues,
} from '#lib/workspaces/value-changes.ts';

type Shown = v.InferOutput<typeof Task>;

/** Tasks as holders of custom values. */
const taskValues = valueHolder('task', Tasks);

const getStoredTask = (tx: UnitOfWork, id: number): Promise<StoredTask> =>
  tx.get(Tasks, { id }, () => notFound('task'));

/** The task. Raises 404. */
export const getTask = async (tx: UnitOfWork, id: number): Promise<Shown> => shown(tx, await getStoredTask(tx, id));

const shown = <T extends v.InferOutput<typeof TaskCopy>>(tx: UnitOfWork, task: T) => toTaskView(task, tx.now);

/** The newest tasks of a deal as it shows them, descending by id. One round trip. */
export async function listTasksOfDeal(tx: UnitOfWork, dealId: number): Promise<v.InferOutput<typeof DealTask>[]> {
  const copies: v.InferOutput<typeof TaskCopy>[] = [];
  for await (const entry of flatten(entries(tx, Tasks, { deal: dealId }, { limit: maxTasksInDeal }))) {
    const { archive, ...copy } = v.parse(TaskCopy, entry);
    if (archive === undefined && copies.push(copy) === maxTasksInDeal) break;
  }
  return copies.map((copy) => shown(tx, copy));
}

/** With more of them than this they are found soon among all that is due. */
const fewOverdue = 400;

/** The ids of what is overdue; undefined where that is a lot. */
async function idsOverdue(tx: UnitOfWork): Promise<number[] | undefined> {
  const ids: number[] = [];
  const range = { ascending: true, below: tx.now, limit: fewOverdue + 1 };
  for await (const { of } of flatten(entries(tx, Tasks, { due: true }, range))) {
    if (ids.push(Number(of.sk)) > fewOverdue) return undefined;
  }
  return ids;
}

/** Tasks in descending order of id; every filter is exact and may be combined. */
export async function listTasks(
  tx: UnitOfWork,
  { include, ...query }: v.InferOutput<typeof TaskQuery>,
): Promise<Page<Shown>> {
  const few =
    query.overdue && query.ids === undefined && (query.archived ?? 'false') === 'false'
      ? await idsOverdue(tx)
      : undefined;
  const page = await listNoun(
    tx,
    Tasks,
    listingFrom(Tasks, query, {
      ...common,
      dealId: (deal) => ({ where: { deal } }),
      contactId: (contact) => ({ where: { contact } }),
      assignedToUserId: (assignee) => ({ where: { assignee } }),
      overdue: (overdue) => ({
        ...(overdue && { where: { awaited: true } }),
        ...(few && { ids: few }),
        matches: (task) => isOverdue(task, tx.now) === overdue,
        columns: ['status', 'dueAt'],
      }),
      dueBefore: (time) => ({ matches: ({ dueAt }) => dueAt !== null && dueAt < time, columns: ['dueAt'] }),
      dueAfter: (time) => ({ matches: ({ dueAt }) => dueAt !== null && dueAt > time, columns: ['dueAt'] }),
      metadata: (metadata) => ({ contains: { metadata: withMetadata(metadata) } }),
      q: (q) => holding(wordsOf(q), ['title'], ({ title }) => [title]),
    }),
  );
  return { ...page, items: page.items.map((task) => shown(tx, task)) };
}

/** A new task (contract section 7). Its contact is its deal's unless given. Emits task.created. */
export async function createTask(tx: UnitOfWork, input: CreateTask): Promise<Shown> {
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
  return shown(tx, task);
}

/** Changes the given fields. Emits task.updated unless nothing changed. */
export async function patchTask(tx: UnitOfWork, id: number, { fields, ...patch }: PatchTask): Promise<Shown> {
  const task = await getStoredTask(tx, id);
  const custom = await changeValues(tx, taskValues, fields, task);
  const changed = changedFields(task, patch);
  if (changed.length + custom.changed.length === 0) return shown(tx, task);
  await Promise.all([
    changed.includes('dealId') && referredDeal(tx, patch.dealId),
    changed.includes('contactId') && referredContact(tx, patch.contactId),
    changed.includes('assignedToUserId') && requireActiveMember(tx, 'assignedToUserId', patch.assignedToUserId),
  ]);
  return shown(tx, updateTask(tx, task, { ...task, ...custom.values, ...patch } as StoredTask, changed, custom));
}

/** Any status from any other; done stamps completedAt. Emits task.status_changed. The same status changes nothing. */
export async function setTaskStatus(tx: UnitOfWork, id: number, status: TaskStatus): Promise<Shown> {
  const task = await getStoredTask(tx, id);
  if (task.status === status) return shown(tx, task);
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
  return shown(tx, next);
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
export const archiveTask = async (tx: UnitOfWork, id: number): Promise<Shown> =>
  shown(tx, await records.archive(tx, id));

/** Restores a task; one that is not archived stays as it is. Emits task.restored. Raises 404, 409 `field_value_taken`. */
export const restoreTask = async (tx: UnitOfWork, id: number): Promise<Shown> =>
  shown(tx, await records.restore(tx, id));

/** Returns the custom values of a task. Raises 404. */
export const getTaskFields = async (tx: UnitOfWork, id: number) => ({
  fields: await shownValues(tx, 'task', await getStoredTask(tx, id)),
});

/** Sets the given custom values; null clears. Emits task.updated unless nothing changed. Raises 400, 404, 409. */
export async function patchTaskFields(tx: UnitOfWork, id: number, fields: Record<string, unknown>) {
  await patchTask(tx, id, { fields });
  return getTaskFields(tx, id);
}

export const getTaskMetadata = async (tx: UnitOfWork, id: number) => ({
  metadata: (await getStoredTask(tx, id)).metadata,
});

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
