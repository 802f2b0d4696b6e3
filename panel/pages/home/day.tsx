import type { ComponentChildren } from 'preact';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { everyPage } from '../../app/every-page.ts';
import { touching } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { current, may, type Scope } from '../../app/session.ts';
import { count, money } from '../../app/show.ts';
import { tasksDueBefore } from '../../app/tasks.ts';
import { t } from '../../app/texts.ts';
import { Day } from '../../parts/day.tsx';
import { Failure } from '../../parts/failure.tsx';
import { dayOf, dayStart, localDate } from '../../parts/local-time.ts';
import { TaskRow } from '../../parts/task-row.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { pathOf, type Row, titleOf, whichOf } from '../inbox/which.ts';

const shown = 6;
/** Of lists without a filter for it, so many pages are looked through. */
const maxPages = 3;

const me = () => current.value?.member?.id;
const isMineOrNobodys = (id: number | null | undefined) => id === null || id === undefined || id === me();

type Items<Item> = Loaded<{ items: Item[] }>;

/** Loads a list for who may read it; nobody else sees it. */
function useList<Item>(
  scope: Scope,
  load: (signal: AbortSignal) => Promise<{ items: Item[] }>,
  ...nouns: string[]
): Items<Item> | undefined {
  const isSeen = may(scope);
  const list = useLoaded(async (signal) => (isSeen ? load(signal) : { items: [] }), [me(), isSeen], touching(...nouns));
  return isSeen ? list : undefined;
}

/** What waits for the member who is signed in. `isPending` until all of it is known: what comes later would push the rest. */
export function useDay() {
  const day = {
    tasks: useList('tasks:read', loadDue, 'task'),
    waiting: useList('contacts:read', loadWaiting, 'message', 'conversation', 'email', 'contact'),
    deals: useList('deals:read', loadClosing, 'deal'),
    failed: useList('jobs:read', loadFailed, 'job'),
  };
  const isPending = Object.values(day).some((list) => list && list.data === undefined && list.error === undefined);
  return { ...day, isPending };
}

export const MyDay = ({ tasks, waiting, deals, failed }: ReturnType<typeof useDay>) => (
  <div class="day-cards">
    {tasks && <DueTasks tasks={tasks} />}
    {waiting && <Waiting waiting={waiting} />}
    {deals && <ClosingDeals deals={deals} />}
    {failed && <FailedSends failed={failed} />}
  </div>
);

async function loadDue(signal: AbortSignal) {
  const items = await tasksDueBefore(dayStart(1), { assignedToUserId: String(me()) }, signal);
  return { items: items.sort((one, other) => (one.dueAt ?? '').localeCompare(other.dueAt ?? '')) };
}

function DueTasks({ tasks }: { tasks: Items<Schema<'Task'>> }) {
  return (
    <List title={t.home.myTasksDue} of={tasks} none={t.home.nothingIsDue} all={linkTo('/tasks')}>
      {(task) => (
        <TaskRow
          key={task.id}
          task={task}
          reload={tasks.reload}
          onStatus={(status) =>
            tasks.change(({ items }) => ({
              items: items.map((one) => (one.id === task.id ? { ...one, status } : one)),
            }))
          }
        />
      )}
    </List>
  );
}

/** Reads the open conversations whose last word is not ours, the one that waits longest first. */
async function loadWaiting(signal: AbortSignal) {
  const { items } = await everyPage(
    (cursor: string | undefined) =>
      api.get('/panel/conversations', { signal, params: { query: { state: 'open', limit: 100, cursor } } }),
    maxPages,
  );
  return {
    items: items
      .filter(({ waitingSince, assignedToUserId }) => waitingSince !== null && isMineOrNobodys(assignedToUserId))
      .sort((one, other) => (one.waitingSince ?? '').localeCompare(other.waitingSince ?? '')),
  };
}

function Waiting({ waiting }: { waiting: Items<Row> }) {
  return (
    <List title={t.home.waitForAnAnswer} of={waiting} none={t.home.nobodyWaits} all={linkTo('/inbox')}>
      {(conversation) => (
        <li key={conversation.id}>
          <a href={linkTo(pathOf(whichOf(conversation)))}>
            <UserText text={titleOf(conversation)} isName />
          </a>
          <span class="hint">{conversation.waitingSince && <When at={conversation.waitingSince} />}</span>
        </li>
      )}
    </List>
  );
}

/** The first day that is not of this week any more, which begins on a Monday. */
function nextWeek(): string {
  const [today, day] = [new Date(`${localDate(new Date())}T00:00Z`), 86_400_000];
  const daysLeft = 7 - ((today.getUTCDay() + 6) % 7);
  return new Date(today.getTime() + daysLeft * day).toISOString();
}

async function loadClosing(signal: AbortSignal) {
  const query = { expectedCloseBefore: nextWeek(), include: 'owner', limit: 100 };
  const { items } = await everyPage(
    (after: number | undefined) => api.get('/v1/deals', { signal, params: { query: { ...query, after } } }),
    maxPages,
  );
  return {
    items: items
      .filter(({ closedAt, owner }) => closedAt === null && isMineOrNobodys(owner?.assignedToUserId))
      .sort((one, other) => (one.expectedCloseAt ?? '').localeCompare(other.expectedCloseAt ?? '')),
  };
}

function ClosingDeals({ deals }: { deals: Items<Schema<'Deal'>> }) {
  return (
    <List title={t.home.dealsThatClose} of={deals} none={t.home.noDealCloses} all={linkTo('/deals')}>
      {({ id, title, value, currency, expectedCloseAt }) => (
        <li key={id}>
          <a href={linkTo(`/deals/${id}`)}>
            <UserText text={title} isName />
          </a>
          <span class="hint">
            {money(value, currency)}
            {expectedCloseAt && (
              <>
                {' · '}
                <span class={dayOf(expectedCloseAt) < localDate(new Date()) ? 'bad' : undefined}>
                  <Day at={expectedCloseAt} />
                </span>
              </>
            )}
          </span>
        </li>
      )}
    </List>
  );
}

/** Reads what could not be sent within a week. */
async function loadFailed(signal: AbortSignal) {
  const query = { status: 'failed', since: dayStart(-7).toISOString(), limit: 100 } as const;
  const { items } = await api.get('/v1/jobs', { signal, params: { query } });
  return { items: items.filter(({ lastError }) => lastError !== 'canceled') };
}

function FailedSends({ failed }: { failed: Items<Schema<'Job'>> }) {
  return (
    <List title={t.home.failedSends} of={failed} none={t.home.everythingWasSent} all={linkTo('/developers/jobs')}>
      {({ id, contactId, recipient, lastError }) => (
        <li key={id}>
          {contactId === null ? (
            <UserText text={recipient} isName />
          ) : (
            <a href={linkTo(`/inbox/${contactId}`)}>
              <UserText text={recipient} isName />
            </a>
          )}
          <span class="hint bad">{lastError}</span>
        </li>
      )}
    </List>
  );
}

interface ListProps<Item> {
  title: string;
  of: Items<Item>;
  none: string;
  /** Where the whole list is. */
  all: string;
  children(item: Item): ComponentChildren;
}

/** The first of what waits, with its number. */
function List<Item>({ title, of: { data, error, reload }, none, all, children }: ListProps<Item>) {
  if (!data) return <Failure error={error} again={reload} />;
  const { items } = data;
  return (
    <section class="card" aria-label={title}>
      <h2>
        <a href={all}>{title}</a> <span class="muted">{count(items.length)}</span>
      </h2>
      {items.length === 0 && <p class="hint">{none}</p>}
      {items.length > 0 && <ul class="waiting">{items.slice(0, shown).map(children)}</ul>}
      {items.length > shown && <a href={all}>{t.home.andMore(count(items.length - shown))}</a>}
    </section>
  );
}
