import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { current } from '../../app/session.ts';
import { lengthOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { dayStart, instant, localDate } from '../../parts/local-time.ts';
import { userText } from '../../parts/user-text.tsx';

/** How many days from today each choice is; undefined for no date. */
const dues = () =>
  [
    ['today', t.tasks.dueToday, 0],
    ['tomorrow', t.tasks.dueTomorrow, 1],
    ['week', t.tasks.dueInAWeek, 7],
    ['none', t.tasks.withoutADate, undefined],
  ] as const;

const maxTitle = 200;

/** Adds a task of one's own by a line of text and Enter. A day ends a minute before midnight. */
export function QuickAdd({ onDone }: { onDone(): void }) {
  const [title, setTitle] = useState('');
  const [due, setDue] = useState('today');
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const text = title.trim();
    if (text === '') return;
    const days = dues().find(([key]) => key === due)?.[2];
    const dueAt = days === undefined ? null : instant(`${localDate(dayStart(days))}T23:59`);
    const assignedToUserId = current.value?.member?.id ?? null;
    const isAdded = await attempt(() => api.post('/v1/tasks', { body: { title: text, dueAt, assignedToUserId } }), {
      said: t.tasks.isAdded(text),
    });
    if (!isAdded) return;
    setTitle('');
    onDone();
  };
  return (
    <form class="quick-add" onSubmit={add}>
      <input
        type="text"
        {...userText}
        aria-label={t.tasks.addATask}
        placeholder={t.tasks.addATask}
        value={title}
        onInput={(event) => {
          const { currentTarget } = event;
          const over = lengthOf(currentTarget.value.trim()) - maxTitle;
          currentTarget.setCustomValidity(over > 0 ? t.parts.tooLong(over) : '');
          setTitle(currentTarget.value);
        }}
      />
      <select aria-label={t.common.due} value={due} onChange={(event) => setDue(event.currentTarget.value)}>
        {dues().map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
      <button type="submit">{t.tasks.addIt}</button>
    </form>
  );
}
