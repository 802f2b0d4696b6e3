import { useState } from 'preact/hooks';
import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { useContactNames, useMembers } from '../app/names.ts';
import { linkTo, place } from '../app/route.ts';
import { may } from '../app/session.ts';
import { count, worded } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { EditTask, priorities } from '../parts/edit-task.tsx';
import { Empty } from '../parts/empty.tsx';
import { filled } from '../parts/filled.tsx';
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
function partOf({ status, dueAt }: Task): Part {
  if (status === 'Done') return 'done';
  if (dueAt === null) return 'undated';
  if (new Date(dueAt) < new Date()) return 'overdue';
  return new Date(dueAt) < dayStart(1) ? 'today' : 'later';
}

const parts = ['overdue', 'today', 'later', 'undated', 'done'] as const;
type Part = (typeof parts)[number];

const titleOf = (part: Part): string =>
  ({
    overdue: t.tasks.overdue,
    today: t.common.today,
    later: t.tasks.later,
    undated: t.tasks.withoutADate,
    done: t.common.done,
  })[part];

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
      <Head title={t.common.tasks}>
        {may('tasks:write') && (
          <button type="button" class="primary" data-new onClick={() => setEdited('new')}>
            {t.common.newTask}
          </button>
        )}
      </Head>
      <Filters>
        <SearchField label={t.common.search} />
        <Choice
          label={t.common.assignee}
          name="assignee"
          all={t.common.anybody}
          options={[['none', t.common.nobody], ...members]}
        />
        <Choice
          label={t.common.priority}
          name="priority"
          all={t.tasks.everyPriority}
          options={priorities.map((priority) => [priority, worded(priority)])}
        />
      </Filters>
      <OnlyOfContact />
      <Pending data={data} error={error} reload={reload} lines={8} />
      {data?.items.length === 0 && (
        <Empty title={place.value.query.size > 0 ? t.tasks.noTasksLikeThat : t.tasks.nothingToDo}>
          <p>{place.value.query.size > 0 ? t.tasks.changeTheSearchAndThe : t.tasks.noteWhatYouHavePromised}</p>
        </Empty>
      )}
      {data &&
        parts.map((part) => {
          const items = data.items.filter((task) => partOf(task) === part).sort(byDueDate);
          if (items.length === 0) return null;
          const heading = `tasks-${part}`;
          return (
            <section key={part} aria-labelledby={heading}>
              <h2 id={heading} class="section">
                {titleOf(part)} <span class="muted">{part === 'done' ? '' : count(items.length)}</span>
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
                    {task.assignedToUserId !== null && (
                      <span>{members.get(task.assignedToUserId) ?? t.tasks.somebody}</span>
                    )}
                    {task.contactId !== null && (
                      <span>
                        <a href={linkTo(`/contacts/${task.contactId}`)}>{nameOfContact(task.contactId)}</a>
                      </span>
                    )}
                    {task.dealId !== null && (
                      <span>
                        <a href={linkTo(`/deals/${task.dealId}`)}>{t.common.deal}</a>
                      </span>
                    )}
                  </TaskRow>
                ))}
              </ul>
            </section>
          );
        })}
      {data?.hasMore && <p class="hint">{filled(t.tasks.theNewestOpenTasksAre, { atMost: count(atMost) })}</p>}
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
