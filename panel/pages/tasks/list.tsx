import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { archiving, restore } from '../../app/archive.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { type Names, useContactNames, useDealTitles } from '../../app/names.ts';
import { linkTo, place, withQuery } from '../../app/route.ts';
import { current, may, mayChange } from '../../app/session.ts';
import { unfinishedTasks } from '../../app/tasks.ts';
import { t } from '../../app/texts.ts';
import { ArchivedSign, whichArchived } from '../../parts/archived-choice.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { filter } from '../../parts/filters.tsx';
import { dayStart } from '../../parts/local-time.ts';
import { Menu } from '../../parts/menu.tsx';
import { contactFilter } from '../../parts/only-of-contact.tsx';
import { Pending } from '../../parts/pending.tsx';
import { TaskRow } from '../../parts/task-row.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { type Edited, editedOf, nameOfContact, titleOfDeal } from './edited.ts';
import { QuickAdd } from './quick-add.tsx';
import { Section } from './section.tsx';

type Task = Schema<'Task'>;

const doneShown = 20;
/** Stands in the address for the tasks of everybody; one's own are shown without it. */
export const everybody = 'all';

/** Whose tasks are shown; undefined for everybody's. A contact's are shown whoever does them. */
function assignee(): string | undefined {
  const chosen = filter('assignee') ?? (contactFilter() === undefined ? 'mine' : everybody);
  if (chosen === everybody) return undefined;
  return chosen === 'mine' ? current.value?.member && String(current.value.member.id) : chosen;
}

async function loadTasks(signal: AbortSignal) {
  const given = {
    q: filter('q'),
    priority: filter('priority') as Schema<'TaskPriorityKey'> | undefined,
    assignedToUserId: assignee(),
    contactId: contactFilter(),
    ...whichArchived(),
  };
  const [unfinished, done] = await Promise.all([
    unfinishedTasks(dayStart(1), given, signal),
    api.get('/v1/tasks', { signal, params: { query: { ...given, status: 'done', limit: doneShown } } }),
  ]);
  return { items: [...unfinished.items, ...done.items], hasMore: unfinished.hasMore };
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

interface TaskListProps {
  members: Names;
  /** Counts what was made or changed in a dialog. */
  turn: number;
  onOpen(edited: Edited): void;
}

/** The tasks by when they are due: overdue, today, later. */
export function TaskList({ members, turn, onOpen }: TaskListProps) {
  const tasks = useLoaded(loadTasks, [String(place.value.query), turn], touching('task'));
  const contacts = useContactNames(tasks);
  const deals = useDealTitles(tasks);
  const { data, error, reload } = tasks;
  const setStatus = (id: number, status: Task['status']) =>
    tasks.change((before) => ({
      ...before,
      items: before.items.map((task) => (task.id === id ? { ...task, status } : task)),
    }));
  const isNarrowed = [...place.value.query.keys()].some((name) => name !== 'assignee');
  const isMine = !isNarrowed && filter('assignee') === undefined;
  const open = (task: Task) => onOpen(editedOf(task, contacts, deals));
  return (
    <>
      <Pending data={data} error={error} reload={reload} lines={8} />
      {may('tasks:write') && !isNarrowed && <QuickAdd onDone={reload} />}
      {data?.items.length === 0 &&
        (isMine ? (
          <Empty title={t.tasks.nothingForYou}>
            <p>{t.tasks.noteWhatYouHavePromised}</p>
            <p>
              {filled(t.tasks.seeTheTasksOf, {
                a: <a href={withQuery({ assignee: everybody })}>{t.common.anybody}</a>,
              })}
            </p>
          </Empty>
        ) : (
          <Empty title={isNarrowed ? t.tasks.noTasksLikeThat : t.tasks.nothingToDo}>
            <p>{isNarrowed ? t.tasks.changeTheSearchAndThe : t.tasks.noteWhatYouHavePromised}</p>
          </Empty>
        ))}
      {data?.hasMore && <p class="hint">{t.tasks.theNewestOpenTasksAre}</p>}
      {data &&
        parts.map((part) => (
          <Section
            key={part}
            name={part}
            title={titleOf(part)}
            items={data.items.filter((task) => partOf(task) === part).sort(byDueDate)}
            hasMore={part === 'done' || (data.hasMore && (part === 'later' || part === 'undated'))}
            isClosed={part === 'done'}
          >
            {(task) => (
              <TaskRow
                key={task.id}
                task={task}
                reload={reload}
                onStatus={(status) => setStatus(task.id, status)}
                onEdit={mayChange('tasks:write', task) ? () => open(task) : undefined}
                actions={<Actions task={task} edit={() => open(task)} reload={reload} />}
              >
                {task.assignedToUserId !== null && (
                  <span>{members.get(task.assignedToUserId) ?? t.tasks.somebody}</span>
                )}
                {task.contactId !== null && (
                  <span>
                    <a href={linkTo(`/contacts/${task.contactId}`)}>
                      <UserText text={nameOfContact(contacts, task.contactId)} isName />
                    </a>
                  </span>
                )}
                {task.dealId !== null && (
                  <span>
                    <a href={linkTo(`/deals/${task.dealId}`)}>
                      <UserText text={titleOfDeal(deals, task.dealId)} isName />
                    </a>
                  </span>
                )}
              </TaskRow>
            )}
          </Section>
        ))}
    </>
  );
}

interface ActionsProps {
  task: Task;
  edit(): void;
  reload(): void;
}

/** What can be done with a task of the list; an archived one is marked. */
function Actions({ task, edit, reload }: ActionsProps) {
  const of = { noun: 'tasks', id: task.id, name: task.title, reload } as const;
  return (
    <>
      <ArchivedSign archive={task.archive} />
      {may('tasks:write') && (
        <Menu
          text="…"
          label={t.common.actionsFor(task.title)}
          items={
            task.archive
              ? [{ text: t.fields.restore, choose: () => restore(of) }]
              : [{ text: t.common.edit, choose: edit }, archiving(of)]
          }
        />
      )}
    </>
  );
}
