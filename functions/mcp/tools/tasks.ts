import { handler as createTask } from '#functions/tasks/create.ts';
import { handler as getTask } from '#functions/tasks/get.ts';
import { handler as getMetadata } from '#functions/tasks/get-metadata.ts';
import { handler as listTasks } from '#functions/tasks/list.ts';
import { handler as patchTask } from '#functions/tasks/patch.ts';
import { handler as patchMetadata } from '#functions/tasks/patch-metadata.ts';
import { handler as searchTasks } from '#functions/tasks/search.ts';
import { handler as setStatus } from '#functions/tasks/status.ts';
import { idInput } from '#lib/core/schema.ts';
import { customFields, fields, listing, object, withIncluded } from '#lib/mcp/common.ts';
import { conditions, listOrSearch } from '#lib/mcp/search.ts';
import { idOf, optional, passed, pick, type Tool } from '#lib/mcp/tool.ts';

const editable = {
  title: 'Title',
  description: 'Details',
  priority: 'Priority',
  dueAt: 'Due, ISO time',
  remindAt: 'Reminder, ISO time',
  contactId: 'Contact',
  dealId: 'Deal id',
  assignedToUserId: 'Member id',
};

export const taskTools: Tool[] = [
  {
    name: 'tasks_search',
    title: 'Search or read tasks',
    description: 'Tasks by all given filters; with id one, its custom values and metadata.',
    effect: 'reads',
    uses: [listTasks, searchTasks, getTask, getMetadata],
    takes: {
      id: passed(idInput(), 'One task'),
      ...listing(
        listTasks,
        {
          q: 'Title contains',
          status: 'Status',
          priority: 'Priority',
        },
        { assignedToUserId: '(or none)' },
      ),
      ...conditions,
      fields,
    },
    gives: object,
    async run(ask, args) {
      if (args['id'] === undefined) return listOrSearch(ask, listTasks, searchTasks, args);
      const [task, metadata] = await Promise.all([
        withIncluded(ask, getTask, args, ['fields', 'archive']),
        ask(getMetadata, args),
      ]);
      return { ...task, ...metadata };
    },
  },
  {
    name: 'tasks_create',
    title: 'Create a task',
    description: 'Adds a task or reminder.',
    effect: 'adds',
    uses: [createTask],
    takes: { ...pick(createTask.route.body, { ...editable, status: 'Default open' }), fields: customFields },
    gives: object,
    run: (ask, args) => ask(createTask, args),
  },
  {
    name: 'tasks_update',
    title: 'Update or finish a task',
    description: 'Changes what is given, all or nothing; null clears.',
    effect: 'sets',
    uses: [patchTask, setStatus, patchMetadata],
    takes: {
      id: idOf('Task id'),
      ...pick(patchTask.route.body, editable),
      fields: customFields,
      ...optional(pick(setStatus.route.body, { status: 'Status' })),
      ...optional(pick(patchMetadata.route.body, { metadata: 'Merges pairs, null removes one' })),
    },
    gives: object,
    async run(_ask, args, update) {
      const { shown, answers } = await update([
        [patchTask, args],
        ...(args['status'] === undefined ? [] : [[setStatus, args] as const]),
        ...(args['metadata'] === undefined ? [] : [[patchMetadata, args] as const]),
      ]);
      return { ...shown, ...(args['metadata'] === undefined ? {} : answers.at(-1)) };
    },
  },
];
