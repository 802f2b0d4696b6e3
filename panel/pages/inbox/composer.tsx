import { useMemo, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { draftOf, keepDraft } from '../../app/drafts.ts';
import { useLoaded } from '../../app/load.ts';
import { may } from '../../app/session.ts';
import { shortTime } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { complain, say } from '../../app/toasts.ts';
import { instant, localTime } from '../../parts/local-time.ts';
import { userText } from '../../parts/user-text.tsx';
import { send, type Way, waysTo } from './ways.ts';

interface ComposerProps {
  contact: Schema<'ContactWithTags'>;
  messages: readonly Schema<'Message'>[];
  sent(): void;
}

/** An answer, now or later, by one of the ways that lead to the contact; at first the one they wrote by last. */
export function Composer({ contact, messages, sent }: ComposerProps) {
  const ways = useLoaded((signal) => waysTo(contact, messages, signal), [contact.id, messages.at(-1)?.threadId]);
  const draft = useMemo(() => draftOf(contact.id), [contact.id]);
  const [chosen, choose] = useState(draft?.way);
  /** When it is to be sent, as the field has it; undefined for now. */
  const [later, setLater] = useState(draft?.later);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  if (!ways.data) return <div class="composer" aria-hidden="true" />;
  const way = ways.data.find(({ key }) => key === chosen) ?? ways.data[0];
  if (!way) return <p class="note">{whyNot(contact)}</p>;

  /** Keeps what is written, with the way that it is written for: a message that comes in does not change it. */
  const remember = () => {
    const given = new FormData(form.current ?? undefined);
    const text = String(given.get('text') ?? '');
    if (text.trim() !== '') choose(way.key);
    keepDraft(contact.id, { text, subject: String(given.get('subject') ?? ''), way: way.key, later });
  };

  const isLater = later !== undefined;
  const submit = async (event: Event) => {
    event.preventDefault();
    const given = new FormData(form.current ?? undefined);
    const text = String(given.get('text') ?? '').trim();
    if (text === '' || isBusy) return;
    const runAt = instant(later) ?? undefined;
    setBusy(true);
    try {
      const undo = await send(way, contact, { text, subject: String(given.get('subject') ?? ''), runAt });
      keepDraft(contact.id, undefined);
      if (form.current) for (const name of ['text', 'subject']) clear(form.current, name);
      setLater(undefined);
      if (runAt) say(t.inbox.theMessageWillBeSent(shortTime(runAt)), undo && (() => undo().then(sent)));
      sent();
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };

  return (
    <form class="composer" ref={form} onSubmit={submit} onInput={remember}>
      {way.asksSubject && (
        <input
          name="subject"
          required
          {...userText}
          defaultValue={draft?.subject}
          aria-label={t.common.subject}
          placeholder={t.common.subject}
        />
      )}
      <textarea
        name="text"
        rows={3}
        required
        {...userText}
        defaultValue={draft?.text}
        aria-label={t.inbox.messageTo(contact.name ?? t.inbox.theContact)}
        placeholder={t.inbox.writeAMessage}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.isComposing && (event.ctrlKey || event.metaKey))
            form.current?.requestSubmit();
        }}
      />
      <div class="actions">
        <Ways ways={ways.data} way={way} choose={choose} />
        {isLater && (
          <input
            type="datetime-local"
            required
            aria-label={t.inbox.whenToSendIt}
            min={localTime(new Date())}
            value={later}
            onInput={(event) => setLater(event.currentTarget.value)}
          />
        )}
        <button type="button" aria-pressed={isLater} onClick={() => setLater(isLater ? undefined : soon())}>
          {isLater ? t.inbox.sendNowInstead : t.inbox.sendLater}
        </button>
        <button type="submit" class="primary" disabled={isBusy} title={t.inbox.ctrlEnter}>
          {isLater ? t.inbox.schedule : t.common.send}
        </button>
      </div>
    </form>
  );
}

const Ways = ({ ways, way, choose }: { ways: readonly Way[]; way: Way; choose(key: string): void }) => (
  <select
    class="ways"
    aria-label={t.inbox.sendBy}
    value={way.key}
    onChange={(event) => choose(event.currentTarget.value)}
  >
    {ways.map(({ key, title }) => (
      <option key={key} value={key}>
        {title}
      </option>
    ))}
  </select>
);

const whyNot = ({ platform }: Schema<'ContactWithTags'>) =>
  may(`${platform}:send`) ? t.inbox.noAccountCanWriteTo : t.inbox.yourRoleMayNotSend;

/** In an hour, as the field has it. */
const soon = () => localTime(new Date(Date.now() + 3_600_000));

function clear(form: HTMLFormElement, name: string): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.value = '';
}
