import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames } from '../../app/channels.ts';
import { may } from '../../app/session.ts';
import { clockTime, exactTime, shortTime, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { instant, localTime } from '../../parts/local-time.ts';
import { UserText, userText } from '../../parts/user-text.tsx';
import { Attachments } from './attachments.tsx';
import { Linked } from './linked.tsx';
import { Mails } from './mail.tsx';

type Job = Schema<'Job'>;

interface MessageProps {
  message: Schema<'Message'>;
  /** What the account is called that it came to or goes out from. */
  account: string | undefined;
  /** What sends it, or has. */
  job: Job | undefined;
  /** The message that it answers. */
  answered: Schema<'Message'> | undefined;
  /** Begins an answer to it; undefined where its channel has none. */
  answer: (() => void) | undefined;
  changed(): void;
}

export function Message({ message, account, job, answered, answer, changed }: MessageProps) {
  const { body, channel, direction, status, createdAt, editedAt, readAt, threadId, attachments, data } = message;
  const at = message.sentAt ?? createdAt;
  const isInbound = direction === 'inbound';
  return (
    <article
      class={isInbound ? 'message' : `message ours ${isCanceled(job) ? 'canceled' : status}`}
      aria-label={isInbound ? t.common.received : t.inbox.writtenByUs}
    >
      {answered && (
        <blockquote class="answered">
          <UserText text={answered.body || t.inbox.anAttachment} isName />
        </blockquote>
      )}
      {body && (
        <p class="text" {...userText}>
          <Linked text={body} />
        </p>
      )}
      <Attachments message={message} of={attachments} />
      {buttonsIn(data).map((text, at) => (
        <Badge key={at}>
          <UserText text={text} />
        </Badge>
      ))}
      <p class="about">
        <span>{[channelNames[channel], account].filter(Boolean).join(' · ')}</span>
        <time dateTime={at} title={`${exactTime(at)} · ${t.inbox.storedAt(exactTime(createdAt))}`}>
          {clockTime(at)}
        </time>
        {editedAt && <span title={exactTime(editedAt)}>{t.inbox.edited}</span>}
        {threadId !== null && may('email:read') && <AsMail threadId={Number(threadId)} />}
        {answer && (
          <button type="button" class="link" onClick={answer}>
            {t.inbox.reply}
          </button>
        )}
        {!isInbound && <State status={status} job={job} readAt={readAt} />}
      </p>
      {!isInbound && job && <Steps message={message} job={job} changed={changed} />}
    </article>
  );
}

/** Returns the words of the buttons below a message of ours. */
const buttonsIn = (data: Schema<'Message'>['data']): string[] =>
  ((data?.['buttons'] ?? []) as { text: string }[][]).flat().map(({ text }) => text);

const isCanceled = (job: Job | undefined) => job?.status === 'failed' && job.lastError === 'canceled';

/** A job that waits so long was meant for later. */
const soonMs = 90_000;

function State({ status, job, readAt }: { status: string; job: Job | undefined; readAt: string | null }) {
  if (readAt) return <span title={exactTime(readAt)}>{t.inbox.read}</span>;
  if (isCanceled(job)) return <span>{t.inbox.canceled}</span>;
  if (status === 'failed')
    return <strong class="bad">{job?.lastError ? t.inbox.notSentLastError(job.lastError) : t.inbox.notSent}</strong>;
  if (status !== 'queued') return <span>{worded(status)}</span>;
  const isLater = job && new Date(job.runAt).getTime() > Date.now() + soonMs;
  return <strong>{isLater ? t.inbox.willBeSent(shortTime(job.runAt)) : job ? t.inbox.sending : t.inbox.queued}</strong>;
}

interface StepsProps {
  message: Schema<'Message'>;
  job: Job;
  changed(): void;
}

/** What can be done about a message that waits or has failed; a mail can be changed while it waits, and not called back. */
function Steps({ message, job, changed }: StepsProps) {
  const [isChanging, setChanging] = useState(false);
  const { channel } = message;
  const { id, status } = job;
  const init = { params: { path: { id } } };
  const act = (work: () => Promise<unknown>, said: string) => attempt(work, { said }).then(changed);
  if (status === 'queued' && may(`${channel}:send`))
    return (
      <>
        <button type="button" class="link" onClick={() => setChanging(true)}>
          {t.inbox.change}
        </button>{' '}
        {channel !== 'email' && (
          <button
            type="button"
            class="link"
            onClick={() =>
              act(() => api.post(`/v1/${channel}/messages/{id}/cancel`, init), t.inbox.theMessageWillNotBe)
            }
          >
            {t.common.cancel}
          </button>
        )}
        {isChanging && <Change message={message} job={job} changed={changed} onClose={() => setChanging(false)} />}
      </>
    );
  if (status === 'failed' && !isCanceled(job) && channel === 'telegram' && may('telegram:send'))
    return (
      <button
        type="button"
        class="link"
        onClick={() => act(() => api.post('/v1/telegram/messages/{id}/retry', init), t.inbox.theMessageIsTriedAgain)}
      >
        {t.common.tryAgain}
      </button>
    );
  return null;
}

/** Changes the text and the time of a message that waits. */
function Change({
  message: { channel, body },
  job: { id, runAt },
  changed,
  onClose,
}: StepsProps & { onClose(): void }) {
  return (
    <Dialog title={t.inbox.changeTheMessage} onClose={onClose}>
      <Form
        submit={t.common.save}
        onCancel={onClose}
        onSubmit={async (values, { isChanged }) => {
          const body = {
            ...(isChanged('text') && { text: values['text'] ?? '' }),
            ...(isChanged('runAt') && { runAt: instant(values['runAt'], runAt) }),
          };
          const init = { params: { path: { id } }, body };
          if (channel === 'email') await api.patch('/v1/jobs/{id}', init);
          else await api.patch(`/v1/${channel}/messages/{id}`, init);
          onClose();
          changed();
        }}
      >
        <Field label={t.inbox.text} name="text" value={body} rows={5} required />
        <Field label={t.inbox.whenToSendIt} name="runAt" type="datetime-local" value={localTime(runAt)} required />
      </Form>
    </Dialog>
  );
}

function AsMail({ threadId }: { threadId: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="link" onClick={() => setOpen(true)}>
        {t.inbox.showAsMail}
      </button>
      {isOpen && <Mails threadId={threadId} onClose={() => setOpen(false)} />}
    </>
  );
}
