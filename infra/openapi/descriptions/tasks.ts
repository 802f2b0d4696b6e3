import type { Noun } from './noun.ts';

const work = {
  fields: 'Custom values by slug, as `GET /v1/fields` defines them; null clears one, and slugs left out keep theirs.',
  title: 'Title of the task, in one line of 1 to 200 characters.',
  description: 'Details of the task in plain text, at most 10,000 characters.',
  priority: 'How urgent it is: low, medium, or high. Default `medium`.',
  dueAt: 'When it should be done. Null when there is no due time.',
  remindAt:
    'When `task.reminder_due` is emitted and the panel reminds the assignee. A time in the past reminds nobody. Null for no reminder.',
  contactId: 'Id of the contact it is about. If you leave it out, the contact of the deal is used; null means none.',
  dealId: 'Id of the deal it belongs to. Null when it belongs to none.',
  assignedToUserId: 'Id of the member who does it, from `GET /v1/members`. Null when nobody is named.',
};

export const tasks: Noun = {
  about: 'Work to be done by members, with a due time, for a contact or a deal if you like.',
  operations: {
    tasksList:
      'Lists tasks, newest first. Use the filters to read the tasks of a member, a contact, or a deal, or what is overdue. All filters must match. Tasks without a due time never match a filter on due times.',
    tasksSearch:
      'Finds tasks by any combination of conditions on any field, custom ones included, in any order. It sees every write that was answered before. Use it where the filters of the list are too few; it changes nothing.',
    tasksCreate:
      'Creates a task. Only the title is required. Use `dealId` or `contactId` to show it where the work is. Emits `task.created`. Nobody is notified by the API itself.',
    tasksGet:
      'Returns one task. Send `If-None-Match` to save the transfer when nothing has changed. Metadata has an operation of its own.',
    tasksPatch:
      'Changes the fields that the body names; null clears one, and fields left out keep their values. Use `POST /v1/tasks/{id}/status` to complete it. Emits `task.updated`.',
    tasksStatus:
      'Sets the status of a task. `done` stamps `completedAt`; any other status clears it. The same status again changes nothing. Emits `task.status_changed`. The other fields stay as they are.',
    tasksArchive:
      'Archives a task: lists, its deal, and analytics leave it out, and it reminds nobody. Use it for what nobody has to do any more. The same again changes nothing. Emits `task.archived`.',
    tasksRestore:
      'Restores an archived task. A reminder that was due meanwhile is not made up for. A unique value that another task has by then answers 409 `field_value_taken`. The same again changes nothing. Emits `task.restored`.',
    tasksBatch:
      'Creates, changes, and completes up to 100 tasks in one call. Each item succeeds or fails separately and has its own status in the results. With `atomic`, of at most 10 items, one failure undoes all of them.',
    tasksGetFields:
      'Returns the custom values of a task: every field that is not archived, null where none is set. Use it when you need nothing else, or ask for `include=fields` of the task. Definitions are in `GET /v1/fields`.',
    tasksPatchFields:
      'Sets the custom values that the body names; null clears one, and the others stay. A unique value that another task has answers 409 `field_value_taken`. Emits `task.updated`.',
    tasksGetMetadata:
      'Returns the metadata of a task: your own pairs of key and text. Tasks do not include them. Use it to look up which record of your system a task belongs to.',
    tasksPatchMetadata:
      'Changes some pairs of the metadata of a task: sets those in the body, and removes those that are null. Pairs left out stay. Use it when several programs keep pairs. Emits `task.updated` with `changed` `["metadata"]`.',
    tasksPutMetadata:
      'Replaces all metadata of a task. Pairs that the body leaves out are removed, so read them first if you want to add one. Emits `task.updated` with `changed` `["metadata"]`.',
  },
  parameters: {
    '*': {
      id: 'Id of the task, as in `GET /v1/tasks`.',
      include:
        'Members to add to each task of the answer, separated by commas: `fields` and `archive`. Default none. Another name is 400 `invalid_enum`.',
    },
    tasksList: {
      status: 'Only tasks with this status, for example `open`.',
      priority: 'Only tasks with this priority, for example `high`.',
      overdue: '`true` for tasks that are overdue only, `false` for all others.',
      contactId: 'Only tasks about the contact with this id.',
      dealId: 'Only tasks of the deal with this id.',
      assignedToUserId: 'Only tasks of this member. `none` finds the tasks that nobody is named for.',
      dueBefore: 'Only tasks due before this time, exclusive.',
      dueAfter: 'Only tasks due after this time, exclusive.',
      q: 'Only tasks whose title contains all words of this text, in any case and with or without accents. At most 200 characters.',
    },
  },
  schemas: {
    Task: {
      ...work,
      fields: 'The custom values by slug, null where none is set. Only with `include=fields`.',
      id: 'Id of the task, unique within its environment and never used again.',
      status: 'How far it is. Answers write it with capitals: `InProgress`.',
      isOverdue: 'Whether the due time has passed and the task is not done.',
      completedAt: 'When the task was set to done. Null while it is not.',
    },
    CreateTask: {
      ...work,
      status: 'How far it is already: open, inprogress, or done. Default `open`.',
      metadata: 'Your own pairs of key and text for the new task, at most 50. Default none.',
    },
    PatchTask: work,
    UpdateTaskItem: { ...work, id: 'Id of the task that this item changes.' },
    SetTaskStatus: { status: 'The new status: open, inprogress, or done.' },
    SetTaskStatusItem: { id: 'Id of the task whose status this item sets.' },
    TaskBatchResult: { task: 'The task after the change. Null when the item failed.' },
  },
  like: {
    CreateTaskItem: 'CreateTask',
    SetTaskStatusItem: 'SetTaskStatus',
    TaskBatch: 'ContactBatch',
    TaskBatchResult: 'ContactBatchResult',
    TaskBatchResults: 'ContactBatchResults',
  },
  enums: {
    TaskStatus: 'The status of a task as answers write it. Filters, bodies, and events use lower case.',
    TaskStatusKey: 'The status of a task. Bodies accept it in any case.',
    TaskPriority: 'The priority of a task as answers write it. Filters, bodies, and events use lower case.',
    TaskPriorityKey: 'The priority of a task. Bodies accept it in any case.',
  },
};
