import type { Schema } from '../../client/index.ts';
import { api } from './api.ts';
import { everyPage } from './every-page.ts';

type Task = Schema<'Task'>;
export interface TaskFilter {
  q?: string | undefined;
  priority?: Schema<'TaskPriorityKey'> | undefined;
  assignedToUserId?: string | undefined;
  contactId?: number | undefined;
  archived?: 'true' | 'all';
  include?: 'archive';
}

export const priorities = ['low', 'medium', 'high'] as const satisfies readonly Schema<'TaskPriorityKey'>[];

const maxPages = 5;
const pageSize = 100;
/** The statuses of what is not done. */
const unfinished = ['open', 'inprogress'] as const;

/** Reads the unfinished tasks that are due before a time: all of them, however many. */
export async function tasksDueBefore(before: Date, given: TaskFilter, signal: AbortSignal): Promise<Task[]> {
  const lists = unfinished.map((status) => {
    const query = { ...given, status, dueBefore: before.toISOString(), limit: pageSize };
    return everyPage((after: number | undefined) =>
      api.get('/v1/tasks', { signal, params: { query: { ...query, after } } }),
    );
  });
  return (await Promise.all(lists)).flatMap(({ items }) => items);
}

/** Reads the newest unfinished tasks, and all that are due before a time. `hasMore` says whether others were left out. */
export async function unfinishedTasks(
  before: Date,
  given: TaskFilter,
  signal: AbortSignal,
): Promise<{ items: Task[]; hasMore: boolean }> {
  const lists = unfinished.map((status) =>
    everyPage(
      (after: number | undefined) =>
        api.get('/v1/tasks', { signal, params: { query: { ...given, status, limit: pageSize, after } } }),
      maxPages,
    ),
  );
  const found = await Promise.all(lists);
  const newest = found.flatMap(({ items }) => items);
  if (!found.some(({ hasMore }) => hasMore)) return { items: newest, hasMore: false };
  const due = await tasksDueBefore(before, given, signal);
  return { items: [...new Map([...newest, ...due].map((task) => [task.id, task])).values()], hasMore: true };
}
