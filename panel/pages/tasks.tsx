import { useState } from 'preact/hooks';
import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { archiving, restore } from '../app/archive.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { useContactNames, useDealTitles, useMembers } from '../app/names.ts';
import { linkTo, place, withQuery } from '../app/route.ts';
import { current, may, mayChange } from '../app/session.ts';
import { worded } from '../app/show.ts';
import { priorities, unfinishedTasks } from '../app/tasks.ts';
import { t } from '../app/texts.ts';
import { ArchivedChoice, ArchivedSign, whichArchived } from '../parts/archived-choice.tsx';
import { EditTask } from '../parts/edits.ts';
import { Empty } from '../parts/empty.tsx';
import { filled } from '../parts/filled.tsx';
import { Choice, Filters, filter, SearchField } from '../parts/filters.tsx';
import { Head } from '../parts/head.tsx';
import { dayStart } from '../parts/local-time.ts';
import { Menu } from '../parts/menu.tsx';
import { contactFilter, OnlyOfContact } from '../parts/only-of-contact.tsx';
import { Pending } from '../parts/pending.tsx';
import { TaskRow } from '../parts/task-row.tsx';
import { UserText } from '../parts/user-text.tsx';
import { QuickAdd } from './tasks/quick-add.tsx';
import { Section } from './tasks/section.tsx';

type Task = Schema<'Task'>;

const doneShown = 20;
/** Stands in the address for the tasks of everybody; one's own are shown without it. */
const everybody = 'all';

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

export default function Tasks() {
  const tasks = useLoaded(loadTasks, [String(place.value.query)], touching('task'));
  const members = useMembers();
  const contacts = useContactNames(tasks);
  const deals = useDealTitles(tasks);
  const [edited, setEdited] = useState<Task | 'new'>();
  const { data, error, reload } = tasks;
  const setStatus = (id: number, status: Task['status']) =>
    tasks.change((before) => ({
      ...before,
      items: before.items.map((task) => (task.id === id ? { ...task, status } : task)),
    }));
  const isNarrowed = [...place.value.query.keys()].some((name) => name !== 'assignee');
  const isMine = !isNarrowed && filter('assignee') === undefined;
  const nameOfContact = (id: number) => contacts.get(id) ?? `#${id}`;
  const titleOfDeal = (id: number) => deals.get(id) ?? `${t.common.deal} #${id}`;
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
          all={contactFilter() === undefined ? t.tasks.mine : t.common.anybody}
          options={[[everybody, t.common.anybody], ['none', t.common.nobody], ...members]}
        />
        <Choice
          label={t.common.priority}
          name="priority"
          all={t.tasks.everyPriority}
          options={priorities.map((priority) => [priority, worded(priority)])}
        />
        <ArchivedChoice />
      </Filters>
      <OnlyOfContact />
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
                onEdit={mayChange('tasks:write', task) ? () => setEdited(task) : undefined}
                actions={<Actions task={task} edit={() => setEdited(task)} reload={reload} />}
              >
                {task.assignedToUserId !== null && (
                  <span>{members.get(task.assignedToUserId) ?? t.tasks.somebody}</span>
                )}
                {task.contactId !== null && (
                  <span>
                    <a href={linkTo(`/contacts/${task.contactId}`)}>
                      <UserText text={nameOfContact(task.contactId)} isName />
                    </a>
                  </span>
                )}
                {task.dealId !== null && (
                  <span>
                    <a href={linkTo(`/deals/${task.dealId}`)}>
                      <UserText text={titleOfDeal(task.dealId)} isName />
                    </a>
                  </span>
                )}
              </TaskRow>
            )}
          </Section>
        ))}
      {edited && (
        <EditTask
          task={edited === 'new' ? undefined : edited}
          contact={
            edited !== 'new' && edited.contactId !== null
              ? { id: edited.contactId, name: nameOfContact(edited.contactId) }
              : undefined
          }
          chosenDeal={
            edited !== 'new' && edited.dealId !== null
              ? { id: edited.dealId, title: titleOfDeal(edited.dealId) }
              : undefined
          }
          onDone={reload}
          onClose={() => setEdited(undefined)}
        />
      )}
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
