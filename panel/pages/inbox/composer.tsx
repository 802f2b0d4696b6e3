import { useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { type DraftFile, draftOf, keepDraft } from '../../app/drafts.ts';
import { useLoaded } from '../../app/load.ts';
import { place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { shortTime } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { complain, say } from '../../app/toasts.ts';
import { Counter } from '../../parts/counter.tsx';
import { filled } from '../../parts/filled.tsx';
import { instant, localTime } from '../../parts/local-time.ts';
import { userText } from '../../parts/user-text.tsx';
import { Answered } from './answered.tsx';
import { Buttons, maxButtons } from './buttons.tsx';
import { AttachButton, Files, problemOf, useFiles } from './files.tsx';
import { addressesIn, Recipients } from './recipients.tsx';
import { SavedReplies, useSavedReplies } from './saved-replies.tsx';
import { presets } from './state.tsx';
import { answerIn, send, type Way, waysTo } from './ways.ts';
import { draftName, type Which } from './which.ts';

type Message = Schema<'Message'>;

interface ComposerProps {
  which: Which;
  /** Of whom it is written to. */
  name: string;
  /** Undefined for a stranger, who is answered in the thread. */
  contact?: Schema<'ContactWithTags'>;
  messages: readonly Message[];
  sent(): void;
}

/** An answer, now or later. Its way is fixed while it is being written; a message that comes in does not change it. */
export function Composer({ which, name, contact, messages, sent }: ComposerProps) {
  const draft = draftOf(draftName(which));
  const last = messages.findLast(({ direction }) => direction === 'inbound')?.id;
  /** The way that it is written for, and the last message when it was chosen. */
  const [fixed, fix] = useState<{ way: string; last: number | undefined } | undefined>(
    draft?.way ? { way: draft.way, last: undefined } : undefined,
  );
  const ways = useLoaded(
    async (signal) => (contact ? waysTo(contact, messages, fixed?.way, signal) : strangerWays(which)),
    [contact?.id, contact?.email, messages.at(-1)?.id],
  );
  /** The channel that the link here asks for. */
  const wanted = place.value.query.get('way');
  const [isBusy, setBusy] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const saved = useSavedReplies(draft?.text ?? '', contact, (reply) => {
    remember({ text: reply });
    if (text.current) text.current.value = reply;
    text.current?.focus();
  });
  const [newest] = ways.data ?? [];
  const way =
    ways.data?.find(({ key }) => key === (draft?.way ?? fixed?.way)) ??
    ways.data?.find(({ channel }) => channel === wanted) ??
    newest;
  const files = draft?.files ?? [];
  const changeFiles = (to: (before: readonly DraftFile[]) => readonly DraftFile[]) => {
    const before = draftOf(draftName(which));
    keepDraft(draftName(which), { text: '', way: way?.key, ...before, files: to(before?.files ?? []) });
  };
  const { add, ids, isUploading, isDragged } = useFiles(files, way, changeFiles);
  if (!ways.data) return <div class="composer" aria-hidden="true" />;
  if (!way || !newest) return <p class="note">{whyNot(contact)}</p>;

  const written = { text: '', ...draft, way: way.key };
  function remember(change: Partial<typeof written>) {
    keepDraft(draftName(which), { ...written, ...change });
  }
  const choose = (key: string) => {
    fix({ way: key, last });
    remember({ way: key });
  };
  const isEmpty = draft === undefined;
  const isTelegram = way.channel === 'telegram';
  /** Only bots send them, as files. */
  const buttons = isTelegram && way.files ? (draft?.buttons ?? []) : [];
  const answered = draft?.answered?.way === way.key ? draft.answered : undefined;
  const needsText = files.length === 0 || (way.files?.needsText ?? true);
  const problem = problemOf(files, way, buttons.length > 0);
  const later = draft?.later;
  const isLater = later !== undefined;
  const submit = async (event: Event) => {
    event.preventDefault();
    const body = (draft?.text ?? '').trim();
    if ((body === '' && needsText) || isBusy || isUploading || problem !== undefined) return;
    const runAt = instant(later) ?? undefined;
    setBusy(true);
    try {
      const undo = await send(way, contact, {
        text: body,
        subject: draft?.subject ?? '',
        cc: addressesIn(draft?.cc ?? ''),
        replyAll: draft?.isToAll ?? false,
        runAt,
        attachments: ids,
        isHtml: isTelegram && (draft?.isHtml ?? false),
        buttons,
        replyToMessageId: answered?.id,
      });
      keepDraft(draftName(which), undefined);
      if (text.current) text.current.value = '';
      fix(undefined);
      if (runAt) say(t.inbox.theMessageWillBeSent(shortTime(runAt)), undo && (() => undo().then(sent)));
      sent();
    } catch (error) {
      complain(error);
    }
    setBusy(false);
  };
  const hasMoved = fixed !== undefined && fixed.last !== last && newest.key !== way.key;
  return (
    <form
      class={isDragged ? 'composer dragged' : 'composer'}
      ref={form}
      onSubmit={submit}
      onFocusIn={() => fixed === undefined && fix({ way: way.key, last })}
      onFocusOut={({ relatedTarget }) => {
        if (isEmpty && !(relatedTarget instanceof Node && form.current?.contains(relatedTarget))) fix(undefined);
      }}
    >
      {hasMoved && (
        <p class="note" role="status">
          {filled(t.inbox.wroteAnotherWay, { name: <bdi>{name}</bdi>, way: newest.title })}{' '}
          <button type="button" class="link" onClick={() => choose(newest.key)}>
            {t.inbox.answerThere}
          </button>
        </p>
      )}
      {way.channel === 'email' && (
        <Recipients
          key={way.key}
          way={way}
          to={contact?.email ?? undefined}
          cc={draft?.cc ?? ''}
          isToAll={draft?.isToAll ?? false}
          change={remember}
        />
      )}
      {way.asksSubject && (
        <input
          name="subject"
          required
          {...userText}
          value={draft?.subject ?? ''}
          onInput={({ currentTarget }) => remember({ subject: currentTarget.value })}
          aria-label={t.common.subject}
          placeholder={t.common.subject}
        />
      )}
      {answered && <Answered of={answered} drop={() => remember({ answered: undefined })} />}
      <textarea
        ref={text}
        name="text"
        data-key="r"
        rows={1}
        required={needsText}
        {...userText}
        value={draft?.text ?? ''}
        aria-label={t.inbox.messageTo(name)}
        placeholder={t.inbox.writeAMessage}
        onInput={({ currentTarget }) => remember({ text: currentTarget.value })}
        onPaste={(event) => {
          const { files: pasted, types } = event.clipboardData ?? {};
          if (!pasted?.length || types?.includes('text/plain')) return;
          event.preventDefault();
          add([...pasted]);
        }}
        onKeyDown={(event) => {
          if (event.isComposing || saved.press(event)) return;
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
          // The draft stays; the keys of the page work again.
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <SavedReplies of={saved} />
      <Counter
        text={draft?.text ?? ''}
        max={files.length > 0 ? (way.files?.maxLength ?? way.maxLength) : way.maxLength}
      />
      <Files of={files} way={way} problem={problem} change={changeFiles} />
      <Buttons of={buttons} change={(next) => remember({ buttons: next })} />
      <div class="actions">
        <AttachButton way={way} add={add} />
        <Ways ways={ways.data} way={way} choose={choose} />
        {isTelegram && !isEmpty && (
          <label class="html">
            <input
              type="checkbox"
              checked={draft.isHtml ?? false}
              onChange={({ currentTarget }) => remember({ isHtml: currentTarget.checked })}
            />{' '}
            {t.inbox.asHtml}
          </label>
        )}
        {isTelegram && way.files && !isEmpty && (
          <button
            type="button"
            disabled={buttons.length >= maxButtons}
            onClick={() => remember({ buttons: [...buttons, { text: '', target: '' }] })}
          >
            {t.inbox.addAButton}
          </button>
        )}
        {isLater && (
          <>
            <input
              type="datetime-local"
              required
              aria-label={t.inbox.whenToSendIt}
              min={localTime(new Date())}
              value={later}
              onInput={(event) => remember({ later: event.currentTarget.value })}
            />
            {presets().map(({ text: title, at }) => (
              <button key={at} type="button" class="small" onClick={() => remember({ later: at })}>
                {title}
              </button>
            ))}
          </>
        )}
        <button
          type="button"
          aria-pressed={isLater}
          disabled={!isLater && isEmpty}
          onClick={() => remember({ later: isLater ? undefined : soon() })}
        >
          {isLater ? t.inbox.sendNowInstead : t.inbox.sendLater}
        </button>
        <button
          type="submit"
          class="primary"
          disabled={isBusy || isUploading || problem !== undefined}
          title={t.inbox.ctrlEnter}
        >
          {isLater ? t.inbox.schedule : t.common.send}
        </button>
      </div>
    </form>
  );
}

const strangerWays = ({ threadId }: Which): Way[] =>
  threadId !== undefined && may('email:send') ? [answerIn(threadId)] : [];

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

const whyNot = (contact: Schema<'ContactWithTags'> | undefined) =>
  contact && may(`${contact.platform}:send`) ? t.inbox.noAccountCanWriteTo : t.inbox.yourRoleMayNotSend;

/** In an hour, as the field has it. */
const soon = () => localTime(new Date(Date.now() + 3_600_000));
