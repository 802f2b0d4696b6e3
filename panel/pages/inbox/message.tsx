import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames } from '../../app/channels.ts';
import { may } from '../../app/session.ts';
import { clockTime, exactTime, shortTime } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
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
  changed(): void;
}

export function Message({ message, account, job, changed }: MessageProps) {
  const { body, channel, direction, status, createdAt, editedAt, readAt, threadId, attachments } = message;
  const isInbound = direction === 'inbound';
  return (
    <article
      class={isInbound ? 'message' : `message ours ${isCanceled(job) ? 'canceled' : status}`}
      aria-label={isInbound ? t.common.received : t.inbox.writtenByUs}
    >
      {body && (
        <p class="text">
          <Linked text={body} />
        </p>
      )}
      <Attachments message={message} of={attachments} />
      <p class="about">
        <span>{[channelNames[channel], account].filter(Boolean).join(' · ')}</span>
        <time dateTime={createdAt} title={exactTime(createdAt)}>
          {clockTime(createdAt)}
        </time>
        {editedAt && <span title={exactTime(editedAt)}>{t.inbox.edited}</span>}
        {threadId !== null && may('email:read') && <AsMail threadId={Number(threadId)} />}
        {!isInbound && <State status={status} job={job} readAt={readAt} />}
      </p>
      {!isInbound && job && <Steps channel={channel} job={job} changed={changed} />}
    </article>
  );
}

const isCanceled = (job: Job | undefined) => job?.status === 'failed' && job.lastError === 'canceled';

/** A job that waits so long was meant for later. */
const soonMs = 90_000;

function State({ status, job, readAt }: { status: string; job: Job | undefined; readAt: string | null }) {
  if (readAt) return <span title={exactTime(readAt)}>{t.inbox.read}</span>;
  if (isCanceled(job)) return <span>{t.inbox.canceled}</span>;
  if (status === 'failed')
    return <strong class="bad">{job?.lastError ? t.inbox.notSentLastError(job.lastError) : t.inbox.notSent}</strong>;
  if (status !== 'queued') return <span>{status}</span>;
  const isLater = job && new Date(job.runAt).getTime() > Date.now() + soonMs;
  return <strong>{isLater ? t.inbox.willBeSent(shortTime(job.runAt)) : job ? t.inbox.sending : t.inbox.queued}</strong>;
}

/** What can be done about a message that waits or has failed; mails can be neither called back nor tried again. */
function Steps({ channel, job, changed }: { channel: Schema<'Channel'>; job: Job; changed(): void }) {
  const { id, status } = job;
  const init = { params: { path: { id } } };
  const act = (work: () => Promise<unknown>, said: string) => attempt(work, { said }).then(changed);
  if (status === 'queued' && channel !== 'email' && may(`${channel}:send`))
    return (
      <button
        type="button"
        class="link"
        onClick={() => act(() => api.post(`/v1/${channel}/messages/{id}/cancel`, init), t.inbox.theMessageWillNotBe)}
      >
        {t.common.cancel}
      </button>
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
