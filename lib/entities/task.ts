import * as v from 'valibot';
import { taskPriorities, taskStatuses } from '#lib/core/choices.ts';
import { countedMonth } from '#lib/core/clock.ts';
import { includeQuery, onRequest } from '#lib/core/include.ts';
import { metadataFilter, metadataIndex, metadataInput, StoredMetadata } from '#lib/core/metadata.ts';
import {
  choice,
  commonFilters,
  id,
  idInput,
  line,
  nullableText,
  nullableTimeInput,
  paging,
  queryBoolean,
  queryIdOrNone,
  queryInteger,
  queryText,
  queryTime,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';
import { archivable, archivedFilter, archiveIndex, shownArchive } from './archive.ts';
import { customValues, fieldsInput, linkReferences, shownFields, valueIndexes } from './field.ts';

export type TaskStatus = (typeof taskStatuses)[number];
type TaskPriority = (typeof taskPriorities)[number];

/** Lower case inside, in filters, bodies and events; responses show these names (base document, "Deal"). */
const statusNames = { open: 'Open', inprogress: 'InProgress', done: 'Done' } as const satisfies Record<
  TaskStatus,
  string
>;
const priorityNames = { low: 'Low', medium: 'Medium', high: 'High' } as const satisfies Record<TaskPriority, string>;

const title = () => line(200);
const description = () => nullableText(10_000);

const shownInDeal = {
  id: id(),
  title: v.string(),
  status: storedChoice(Object.values(statusNames)),
  priority: storedChoice(Object.values(priorityNames)),
  dueAt: v.nullable(time()),
  isOverdue: v.boolean(),
};

const details = {
  description: v.nullable(v.string()),
  contactId: v.nullable(id()),
  dealId: v.nullable(id()),
  assignedToUserId: v.nullable(id()),
  remindAt: v.nullable(time()),
  completedAt: v.nullable(time()),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

/** A task as its deal shows it (base document, "Deal"). */
export const DealTask = v.pipe(v.object(shownInDeal), v.title('DealTask'));
/** As many as a page of the list has at most: what is shown of a deal is not to grow with its tasks. */
export const maxTasksInDeal = 100;
/** Members that `include` adds. */
const included = { fields: shownFields(), archive: shownArchive() };
export const TaskInclude = v.object(includeQuery(included));

/** Contract section 7. */
export const Task = v.pipe(v.object({ ...shownInDeal, ...details, ...onRequest(included) }), v.title('Task'));

const optionalFields = {
  description: v.optional(description()),
  priority: v.optional(choice(taskPriorities)),
  dueAt: v.optional(nullableTimeInput()),
  remindAt: v.optional(nullableTimeInput()),
  contactId: v.optional(v.nullable(idInput())),
  dealId: v.optional(v.nullable(idInput())),
  assignedToUserId: v.optional(v.nullable(idInput())),
  fields: v.optional(fieldsInput()),
};

export const CreateTask = v.pipe(
  v.object({
    title: title(),
    status: v.optional(choice(taskStatuses), 'open'),
    metadata: v.optional(metadataInput()),
    ...optionalFields,
  }),
  v.title('CreateTask'),
);
export type CreateTask = v.InferOutput<typeof CreateTask>;

export const PatchTask = v.pipe(v.object({ title: v.optional(title()), ...optionalFields }), v.title('PatchTask'));
export type PatchTask = v.InferOutput<typeof PatchTask>;

export const SetTaskStatus = v.pipe(v.object({ status: choice(taskStatuses) }), v.title('SetTaskStatus'));

export const TaskQuery = v.object({
  ...paging,
  status: v.optional(choice(taskStatuses)),
  priority: v.optional(choice(taskPriorities)),
  overdue: v.optional(queryBoolean()),
  contactId: v.optional(queryInteger()),
  dealId: v.optional(queryInteger()),
  assignedToUserId: v.optional(queryIdOrNone()),
  dueBefore: v.optional(queryTime()),
  dueAfter: v.optional(queryTime()),
  q: v.optional(queryText()),
  ...archivedFilter,
  ...TaskInclude.entries,
  ...commonFilters,
  ...metadataFilter,
});

const inDeal = {
  id: id(),
  title: v.string(),
  status: storedChoice(taskStatuses),
  priority: storedChoice(taskPriorities),
  dueAt: v.nullable(v.string()),
};

/** Fields of a task in the index of its deal, so that a deal is read with its tasks in one query. */
export const TaskCopy = v.object({ ...inDeal, ...archivable });

export const isOpen = ({ status }: Pick<v.InferOutput<typeof TaskCopy>, 'status'>) => status !== 'done';
const isAwaited = (task: v.InferOutput<typeof TaskCopy>) => isOpen(task) && task.dueAt !== null;

/** A task. */
export const Tasks = entity({
  name: 'task',
  schema: v.object({
    ...inDeal,
    ...details,
    metadata: StoredMetadata,
    /** Its reminder is ahead. */
    awaitsReminder: v.exactOptional(v.boolean()),
    ...customValues,
    ...archivable,
  }),
  references: [{ to: 'contact', field: 'contactId' }, { to: 'deal', field: 'dealId' }, ...linkReferences],
  indexes: {
    status: { of: ({ status }) => status },
    priority: { of: ({ priority }) => priority },
    assignee: { of: ({ assignedToUserId }) => assignedToUserId ?? 'none' },
    awaited: isAwaited,
    due: { of: isAwaited, order: ({ dueAt }) => String(dueAt) },
    completed: { of: ({ completedAt }) => completedAt !== null, order: ({ completedAt }) => String(completedAt) },
    contact: { of: ({ contactId }) => contactId },
    deal: { of: ({ dealId }) => dealId, copy: (task) => v.parse(TaskCopy, task) },
    ...valueIndexes,
    ...archiveIndex,
    metadata: metadataIndex,
  },
  isArchivable: true,
  counters: {
    tasks: { of: (task) => isOpen(task) && { name: 'open', add: { count: 1 } } },
    /** Index of due tasks by month, read with the open ones. */
    due: {
      of: (task) => isAwaited(task) && { name: `due/${countedMonth(String(task.dueAt))}`, add: { count: 1 } },
      group: 'tasks',
    },
  },
  timer: ({ id, remindAt, awaitsReminder }, tenant) =>
    awaitsReminder && remindAt !== null
      ? { at: remindAt, queue: 'reminders', message: { taskId: id }, group: tenantKey(tenant) }
      : null,
});

export type StoredTask = v.InferOutput<(typeof Tasks)['schema']>;

/** Contract section 7: computed when it is read. */
export const isOverdue = ({ status, dueAt }: Pick<StoredTask, 'status' | 'dueAt'>, now: string) =>
  status !== 'done' && dueAt !== null && dueAt < now;

/** As it is shown at a time. */
export const toTaskView = <T extends v.InferOutput<typeof TaskCopy>>(task: T, now: string) => ({
  ...task,
  status: statusNames[task.status] ?? task.status,
  priority: priorityNames[task.priority] ?? task.priority,
  isOverdue: isOverdue(task, now),
});
