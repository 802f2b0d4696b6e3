import * as v from 'valibot';
import { metadataEntry, metadataFilter } from '#lib/metadata.ts';
import {
  choice,
  commonFilters,
  id,
  nullableText,
  nullableTimeInput,
  paging,
  queryBoolean,
  queryIdOrNone,
  queryInteger,
  queryText,
  text,
  time,
  timeInput,
} from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchEntry } from '#lib/table/list.ts';

const taskStatuses = ['open', 'inprogress', 'done'] as const;
const taskPriorities = ['low', 'medium', 'high'] as const;
export type TaskStatus = (typeof taskStatuses)[number];
type TaskPriority = (typeof taskPriorities)[number];

/** Lower case inside, in filters, bodies and events; responses show these names (base document, "Deal"). */
export const statusNames = { open: 'Open', inprogress: 'InProgress', done: 'Done' } as const satisfies Record<
  TaskStatus,
  string
>;
export const priorityNames = { low: 'Low', medium: 'Medium', high: 'High' } as const satisfies Record<
  TaskPriority,
  string
>;

const shownInDeal = {
  id: v.number(),
  title: v.string(),
  status: v.picklist(Object.values(statusNames)),
  priority: v.picklist(Object.values(priorityNames)),
  dueAt: v.nullable(time()),
  isOverdue: v.boolean(),
};

const details = {
  description: v.nullable(v.string()),
  contactId: v.nullable(v.number()),
  dealId: v.nullable(v.number()),
  assignedToUserId: v.nullable(v.number()),
  remindAt: v.nullable(time()),
  completedAt: v.nullable(time()),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

/** A task as its deal shows it (base document, "Deal"). */
export const DealTask = v.pipe(v.object(shownInDeal), v.title('DealTask'));
/** Contract section 7. */
export const Task = v.pipe(v.object({ ...shownInDeal, ...details }), v.title('Task'));

const optionalFields = {
  description: v.optional(nullableText(10_000)),
  priority: v.optional(choice(taskPriorities)),
  dueAt: v.optional(nullableTimeInput()),
  remindAt: v.optional(nullableTimeInput()),
  contactId: v.optional(v.nullable(id())),
  dealId: v.optional(v.nullable(id())),
  assignedToUserId: v.optional(v.nullable(id())),
};

export const CreateTask = v.pipe(
  v.object({ title: text(200), status: v.optional(choice(taskStatuses), 'open'), ...optionalFields }),
  v.title('CreateTask'),
);
export type CreateTask = v.InferOutput<typeof CreateTask>;

export const PatchTask = v.pipe(v.object({ title: v.optional(text(200)), ...optionalFields }), v.title('PatchTask'));
export type PatchTask = v.InferOutput<typeof PatchTask>;

export const TaskStatusBody = v.pipe(v.object({ status: choice(taskStatuses) }), v.title('TaskStatus'));

export const TaskQuery = v.object({
  ...paging,
  status: v.optional(choice(taskStatuses)),
  priority: v.optional(choice(taskPriorities)),
  overdue: v.optional(queryBoolean()),
  contactId: v.optional(queryInteger()),
  dealId: v.optional(queryInteger()),
  assignedToUserId: v.optional(queryIdOrNone()),
  dueBefore: v.optional(timeInput()),
  dueAfter: v.optional(timeInput()),
  q: v.optional(queryText()),
  ...commonFilters,
  ...metadataFilter,
});

const inDeal = {
  id: v.number(),
  title: v.string(),
  status: v.picklist(taskStatuses),
  priority: v.picklist(taskPriorities),
  dueAt: v.nullable(v.string()),
};

/** What the index of a deal's tasks keeps of each, so that a deal is read with its tasks at once. */
export const TaskCopy = v.object(inDeal);

export const Tasks = entity({
  name: 'task',
  schema: v.object({ ...inDeal, ...details, metadata: v.record(v.string(), v.string()) }),
  indexes: (task) => [
    { name: `status=${task.status}` },
    { name: `priority=${task.priority}` },
    { name: `assignee=${task.assignedToUserId ?? 'none'}` },
    task.status !== 'done' && task.dueAt !== null && { name: 'awaited' },
    task.status !== 'done' && task.dueAt !== null && { name: 'due', order: task.dueAt },
    task.completedAt !== null && { name: 'completed', order: task.completedAt },
    task.contactId !== null && { name: `contact=${task.contactId}` },
    task.dealId !== null && { name: dealIndex(task.dealId), copy: v.parse(TaskCopy, task) },
    metadataEntry(task.metadata),
    searchEntry([task.title]),
  ],
});

export const dealIndex = (dealId: number) => `deal=${dealId}`;

export type StoredTask = v.InferOutput<(typeof Tasks)['schema']>;
