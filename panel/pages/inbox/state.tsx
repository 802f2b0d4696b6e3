import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, type Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { type AnyEvent, touching } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { memberName, namesOf, useMemberList } from '../../app/names.ts';
import { current, may } from '../../app/session.ts';
import { nameOf, shortTime } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, say } from '../../app/toasts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { instant, localDate, localTime } from '../../parts/local-time.ts';
import { Menu } from '../../parts/menu.tsx';

type Conversation = Schema<'Conversation'>;

/** The conversation that was marked as unread and is still open: opening it again marks it as read. */
export const keptUnread = signal<number | undefined>(undefined);

/** Counts the messages that were scheduled, changed, or called back here: no event tells of them before their time. */
export const scheduledChanges = signal(0);

/** Loads a conversation; null where nothing was received or sent yet. */
export function useConversation(id: number, isTouchedBy: (event: AnyEvent) => boolean): Loaded<Conversation | null> {
  return useLoaded<Conversation | null>(
    async (signal) => {
      try {
        return await api.get('/v1/conversations/{id}', { signal, params: { path: { id } } });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
    [id],
    (event) => touching('conversation')(event) || isTouchedBy(event),
  );
}

/** Returns times for snoozing and sending later, as a `datetime-local` field has them: tomorrow at nine, next Monday at nine. */
export function presets(now = new Date()): { text: string; at: string }[] {
  const at = (days: number) => {
    const day = new Date(`${localDate(now)}T00:00Z`);
    day.setUTCDate(day.getUTCDate() + days);
    return `${day.toISOString().slice(0, 10)}T09:00`;
  };
  const weekday = new Date(`${localDate(now)}T00:00Z`).getUTCDay();
  return [
    { text: t.inbox.tomorrowAtNine, at: at(1) },
    { text: t.inbox.mondayAtNine, at: at(((8 - weekday) % 7 || 7) as number) },
  ];
}

interface StateProps {
  of: Loaded<Conversation | null>;
}

/** What can be done with a conversation: ended, put off, given to somebody, marked as unread. */
export function State({ of }: StateProps) {
  const members = useMemberList();
  const [isSnoozing, setSnoozing] = useState(false);
  const id = of.data?.id;
  useEffect(
    () => () => {
      keptUnread.value = undefined;
    },
    [id],
  );
  const conversation = of.data;
  const isAllowed = may('contacts:write');
  const me = current.value?.member?.id;
  /** Returns what puts the conversation into a state, what is said then, and what undoes it. */
  const turn = (now: Conversation, state: Conversation['state'], snoozedUntil?: string) => {
    const before = { state: now.state, snoozedUntil: now.snoozedUntil };
    const change = (body: { state: Conversation['state']; snoozedUntil?: string | null }) =>
      api.post('/v1/conversations/{id}/state', { params: { path: { id: now.id } }, body });
    return {
      work: () => change({ state, ...(snoozedUntil && { snoozedUntil }) }).then((data) => of.change(() => data)),
      said: snoozedUntil ? t.inbox.snoozedUntil(shortTime(snoozedUntil)) : t.inbox.isNow[state],
      undo: () => change(before.state === 'snoozed' ? before : { state: before.state }).then(of.reload),
    };
  };
  const set = (state: Conversation['state'], snoozedUntil?: string) => {
    if (!conversation) return;
    const { work, ...then } = turn(conversation, state, snoozedUntil);
    void attempt(work, then);
  };
  const assign = (userId: number | null) => {
    if (!conversation) return;
    const init = { params: { path: { id: conversation.id } }, body: { userId } };
    void attempt(() => api.post('/v1/conversations/{id}/assignee', init).then((data) => of.change(() => data)));
  };
  const markUnread = () => {
    if (!conversation) return;
    keptUnread.value = conversation.id;
    const init = { params: { path: { id: conversation.id } }, body: {} };
    void attempt(() => api.post('/v1/conversations/{id}/unread', init), { said: t.inbox.isUnreadAgain });
  };
  const toggle = () => set(conversation?.state === 'done' ? 'open' : 'done');
  if (!conversation || !isAllowed) return null;
  const { state, assignedToUserId, snoozedUntil } = conversation;
  const known = members.filter(({ isActive }) => isActive);
  return (
    <>
      <select
        aria-label={t.common.assignee}
        value={assignedToUserId ?? ''}
        onChange={({ currentTarget }) => assign(Number(currentTarget.value) || null)}
      >
        <option value="">{t.common.nobody}</option>
        {assignedToUserId !== null && !known.some((one) => one.id === assignedToUserId) && (
          <option value={assignedToUserId}>{memberName(namesOf(members), assignedToUserId)}</option>
        )}
        {known.map((member) => (
          <option key={member.id} value={member.id}>
            {nameOf(member)}
          </option>
        ))}
      </select>
      <button type="button" class="small" title="e" data-key="e" onClick={toggle}>
        {state === 'done' ? t.inbox.reopen : t.inbox.done}
      </button>
      <Menu
        text={state === 'snoozed' && snoozedUntil ? t.inbox.until(shortTime(snoozedUntil)) : t.inbox.snooze}
        items={[
          ...presets().map(({ text, at }) => ({ text, choose: () => set('snoozed', instant(at) as string) })),
          { text: t.inbox.atAnotherTime, choose: () => setSnoozing(true) },
          ...(state === 'snoozed' ? [{ text: t.inbox.reopen, choose: () => set('open') }] : []),
          ...(me === undefined
            ? []
            : [
                assignedToUserId === me
                  ? { text: t.inbox.assignToNobody, shortcut: 'a', choose: () => assign(null) }
                  : { text: t.inbox.assignToMe, shortcut: 'a', choose: () => assign(me) },
              ]),
          { text: t.inbox.markAsUnread, shortcut: 'u', choose: markUnread },
        ]}
      />
      {isSnoozing && (
        <Dialog title={t.inbox.snooze} onClose={() => setSnoozing(false)}>
          <Form
            submit={t.inbox.snooze}
            onCancel={() => setSnoozing(false)}
            onSubmit={async ({ snoozedUntil: at }) => {
              const { work, said, undo } = turn(conversation, 'snoozed', instant(at) as string);
              await work();
              setSnoozing(false);
              say(said, undo);
            }}
          >
            <Field
              label={t.inbox.snoozeUntil}
              name="snoozedUntil"
              type="datetime-local"
              required
              min={localTime(new Date())}
              value={presets()[0]?.at ?? ''}
            />
          </Form>
        </Dialog>
      )}
    </>
  );
}
