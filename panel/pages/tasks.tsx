import { useState } from 'preact/hooks';
import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { useContactNames, useMembers } from '../app/names.ts';
import { linkTo, place } from '../app/route.ts';
import { may } from '../app/session.ts';
import { count, worded } from '../app/show.ts';
import { EditTask, priorities } from '../parts/edit-task.tsx';
import { Empty } from '../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../parts/filters.tsx';
import { Head } from '../parts/head.tsx';
import { dayStart } from '../parts/local-time.ts';
import { contactFilter, OnlyOfContact } from '../parts/only-of-contact.tsx';
import { Pending } from '../parts/pending.tsx';
import { TaskRow } from '../parts/task-row.tsx';

type Task = Schema<'Task'>;

/** Of each status, the newest: who has more open ones finds them by searching. */
const atMost = 100;
const doneShown = 20;

async function loadTasks(signal: AbortSignal) {
  const query = {
    q: filter('q'),
    priority: filter('priority') as Schema<'TaskPriorityKey'> | undefined,
    assignedToUserId: filter('assignee'),
    contactId: contactFilter(),
  };
  const pages = await Promise.all(
    (['open', 'inprogress', 'done'] as const).map((status) =>
      api.get('/v1/tasks', {
        signal,
        params: { query: { ...query, status, limit: status === 'done' ? doneShown : atMost } },
      }),
    ),
  );
  return {
    items: pages.flatMap(({ items }) => items),
    hasMore: pages.slice(0, 2).some(({ hasMore }) => hasMore),
  };
}

/** In which part of the list a task stands. */
function partOf({ status, dueAt }: Task): string {
  if (status === 'Done') return 'Done';
  if (dueAt === null) return 'Without a date';
  if (new Date(dueAt) < new Date()) return 'Overdue';
  return new Date(dueAt) < dayStart(1) ? 'Today' : 'Later';
}

const parts = ['Overdue', 'Today', 'Later', 'Without a date', 'Done'] as const;

const byDueDate = (one: Task, other: Task) =>
  one.status === 'Done'
    ? (other.completedAt ?? '').localeCompare(one.completedAt ?? '')
    : (one.dueAt ?? '').localeCompare(other.dueAt ?? '') || other.id - one.id;

export default function Tasks() {
  const tasks = useLoaded(loadTasks, [String(place.value.query)], touching('task'));
  const members = useMembers();
  const contacts = useContactNames(tasks);
  const [edited, setEdited] = useState<Task | 'new'>();
  const { data, error, reload } = tasks;
  const setStatus = (id: number, status: Task['status']) =>
    tasks.change((before) => ({
      ...before,
      items: before.items.map((task) => (task.id === id ? { ...task, status } : task)),
    }));
  const nameOfContact = (id: number) => contacts.get(id) ?? `#${id}`;
  return (
    <>
      <Head title="Tasks">
        {may('tasks:write') && (
          <button type="button" class="primary" data-new onClick={() => setEdited('new')}>
            New task
          </button>
        )}
      </Head>
      <Filters>
        <SearchField label="Search" />
        <Choice label="Assignee" name="assignee" all="Anybody" options={[['none', 'Nobody'], ...members]} />
        <Choice
          label="Priority"
          name="priority"
          all="Every priority"
          options={priorities.map((priority) => [priority, worded(priority)])}
        />
      </Filters>
      <OnlyOfContact />
      <Pending data={data} error={error} reload={reload} lines={8} />
      {data?.items.length === 0 && (
        <Empty title={place.value.query.size > 0 ? 'No tasks like that' : 'Nothing to do'}>
          <p>
            {place.value.query.size > 0
              ? 'Change the search and the filters to see others.'
              : 'Note what you have promised, by when, and who does it.'}
          </p>
        </Empty>
      )}
      {data &&
        parts.map((part) => {
          const items = data.items.filter((task) => partOf(task) === part).sort(byDueDate);
          if (items.length === 0) return null;
          const heading = `tasks-${part.split(' ')[0]?.toLowerCase()}`;
          return (
            <section key={part} aria-labelledby={heading}>
              <h2 id={heading} class="section">
                {part} <span class="muted">{part === 'Done' ? '' : count(items.length)}</span>
              </h2>
              <ul class="tasks card">
                {items.map((task) => (
                  <TaskRow
                    key={task.id}
                    task={task}
                    reload={reload}
                    onStatus={(status) => setStatus(task.id, status)}
                    onEdit={may('tasks:write') ? () => setEdited(task) : undefined}
                  >
                    {task.assignedToUserId !== null && <span>{members.get(task.assignedToUserId) ?? 'Somebody'}</span>}
                    {task.contactId !== null && (
                      <span>
                        <a href={linkTo(`/contacts/${task.contactId}`)}>{nameOfContact(task.contactId)}</a>
                      </span>
                    )}
                    {task.dealId !== null && (
                      <span>
                        <a href={linkTo(`/deals/${task.dealId}`)}>Deal</a>
                      </span>
                    )}
                  </TaskRow>
                ))}
              </ul>
            </section>
          );
        })}
      {data?.hasMore && <p class="hint">The newest {count(atMost)} open tasks are shown. Search for the others.</p>}
      {edited && (
        <EditTask
          task={edited === 'new' ? undefined : edited}
          contact={
            edited !== 'new' && edited.contactId !== null
              ? { id: edited.contactId, name: nameOfContact(edited.contactId) }
              : undefined
          }
          onDone={reload}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}
