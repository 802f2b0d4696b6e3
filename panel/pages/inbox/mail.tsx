import type { ComponentChildren } from 'preact';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { exactTime, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { UserText, userText } from '../../parts/user-text.tsx';
import { Attachments } from './attachments.tsx';
import { Linked } from './linked.tsx';
import { MailHtml } from './mail-html.tsx';
import { addressOf } from './recipients.tsx';

type Mail = Schema<'EmailMessage'>;

interface MailsProps {
  threadId: number;
  onClose(): void;
}

/** The mails of a thread with their heads, as they were written. */
export function Mails({ threadId, onClose }: MailsProps) {
  const path = { id: threadId };
  const { data, error, reload } = useLoaded(
    async (signal) => {
      const [thread, mails] = await Promise.all([
        api.get('/v1/email/threads/{id}', { signal, params: { path } }),
        api.get('/v1/email/threads/{id}/messages', { signal, params: { path, query: { limit: 20 } } }),
      ]);
      return { thread, mails };
    },
    [threadId],
  );
  return (
    <Dialog title={data?.thread.subject || t.inbox.mail} onClose={onClose} isWide>
      {error !== undefined && <Failure error={error} again={reload} />}
      {!data && error === undefined && <Skeleton lines={6} />}
      {data?.mails.items.map((mail) => (
        <OneMail key={mail.id} mail={mail} />
      ))}
      {data?.mails.hasMore && <p class="hint">{t.inbox.olderMailsOfThisThread}</p>}
    </Dialog>
  );
}

/** A mail with its head. */
export function OneMail({ mail }: { mail: Mail }) {
  const { direction, from, to, cc, replyTo, createdAt, sentAt, authentication, bodyHtml, bodyText, status } = mail;
  const at = sentAt ?? createdAt;
  return (
    <article class="mail-message" aria-label={direction === 'inbound' ? t.common.received : t.inbox.writtenByUs}>
      <dl class="details">
        <Line title={t.inbox.from}>
          <UserText text={addressOf(from)} />{' '}
          {authentication && authentication.verdict !== 'pass' && <Doubt {...authentication} />}
        </Line>
        {replyTo.length > 0 && (
          <Line title={t.inbox.answersTo}>
            <UserText text={replyTo.map(addressOf).join(', ')} />
          </Line>
        )}
        <Line title={t.inbox.to}>
          <UserText text={to.map(addressOf).join(', ')} />
        </Line>
        {cc.length > 0 && (
          <Line title={t.inbox.cc}>
            <UserText text={cc.map(addressOf).join(', ')} />
          </Line>
        )}
        <Line title={t.common.when}>
          <time dateTime={at} title={t.inbox.storedAt(exactTime(createdAt))}>
            {exactTime(at)}
          </time>{' '}
          {direction === 'outbound' && status !== 'sent' && <Badge>{worded(status)}</Badge>}
        </Line>
      </dl>
      {bodyHtml ? (
        <MailHtml html={bodyHtml} />
      ) : (
        <p class="text" {...userText}>
          <Linked text={bodyText} />
        </p>
      )}
      <Attachments message={mail} threadId={mail.threadId} of={mail.attachments} />
    </article>
  );
}

const Line = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
);

const Doubt = ({ spf, dkim, dmarc }: Schema<'EmailAuthentication'>) => (
  <Badge tone="bad">{t.inbox.mayNotBeFromThere(spf, dkim, dmarc)}</Badge>
);
