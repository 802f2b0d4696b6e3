import type { Schema } from '../../../client/index.ts';
import type { Names } from '../../app/names.ts';
import { may } from '../../app/session.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedSign } from '../../parts/archived-choice.tsx';
import { Badge } from '../../parts/badge.tsx';
import { LinkedName, Person, Text, Time } from '../../parts/table/cells.tsx';
import type { Column } from '../../parts/table/column.ts';
import { UserText } from '../../parts/user-text.tsx';

type Task = Schema<'Task'>;

interface Given {
  members: Names;
  contacts: Names;
  deals: Names;
  onOpen(task: Task): void;
}

const statusTones = { Open: 'plain', InProgress: 'accent', Done: 'good' } as const;
const priorityTones = { Low: 'plain', Medium: 'plain', High: 'warn' } as const;

/** The columns of tasks without those of their custom fields. */
export const taskColumns = ({ members, contacts, deals, onOpen }: Given): Column<Task>[] => [
  {
    name: 'title',
    title: t.common.title,
    widthRem: 16,
    show: (task) => (
      <>
        <button type="button" class="link" onClick={() => onOpen(task)}>
          <UserText text={task.title} isName />
        </button>
        <ArchivedSign archive={task.archive} />
      </>
    ),
  },
  {
    name: 'status',
    title: t.common.status,
    widthRem: 8,
    isUsual: true,
    show: ({ status }) => <Badge tone={statusTones[status]}>{worded(status)}</Badge>,
  },
  {
    name: 'dueAt',
    title: t.common.due,
    widthRem: 8,
    isUsual: true,
    show: ({ dueAt, isOverdue }) => (
      <span class={isOverdue ? 'bad' : undefined}>
        <Time at={dueAt} />
      </span>
    ),
  },
  {
    name: 'priority',
    title: t.common.priority,
    widthRem: 7,
    isUsual: true,
    show: ({ priority }) => <Badge tone={priorityTones[priority]}>{worded(priority)}</Badge>,
  },
  {
    name: 'assignedToUserId',
    title: t.common.assignee,
    widthRem: 9,
    isUsual: true,
    show: ({ assignedToUserId }) => <Person names={members} id={assignedToUserId} />,
  },
  {
    name: 'contactId',
    title: t.common.contact,
    widthRem: 11,
    isUsual: true,
    isSortable: false,
    show: ({ contactId: id }) =>
      id !== null && (
        <LinkedName path={`/contacts/${id}`} name={contacts.get(id) ?? `#${id}`} isLink={may('contacts:read')} />
      ),
  },
  {
    name: 'dealId',
    title: t.common.deal,
    widthRem: 11,
    isUsual: true,
    isSortable: false,
    show: ({ dealId: id }) =>
      id !== null && <LinkedName path={`/deals/${id}`} name={deals.get(id) ?? `#${id}`} isLink={may('deals:read')} />,
  },
  {
    name: 'description',
    title: t.common.description,
    widthRem: 14,
    show: ({ description }) => <Text text={description} />,
  },
  { name: 'remindAt', title: t.parts.remindAt, widthRem: 8, show: ({ remindAt }) => <Time at={remindAt} /> },
  { name: 'completedAt', title: t.common.done, widthRem: 8, show: ({ completedAt }) => <Time at={completedAt} /> },
  { name: 'createdAt', title: t.common.created, widthRem: 8, show: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'updatedAt', title: t.table.changed, widthRem: 8, show: ({ updatedAt }) => <Time at={updatedAt} /> },
];
