import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { exactTime } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Linked } from './linked.tsx';
import { MailHtml } from './mail-html.tsx';

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
        <One key={mail.id} mail={mail} />
      ))}
      {data?.mails.hasMore && <p class="hint">{t.inbox.olderMailsOfThisThread}</p>}
    </Dialog>
  );
}

const address = ({ name, email }: Schema<'Mailbox'>) => (name ? `${name} <${email}>` : email);

function One({ mail: { from, to, cc, createdAt, sentAt, authentication, bodyHtml, bodyText } }: { mail: Mail }) {
  return (
    <article class="mail-message">
      <dl class="details">
        <div>
          <dt>{t.inbox.from}</dt>
          <dd>
            {address(from)} {authentication && authentication.verdict !== 'pass' && <Doubt {...authentication} />}
          </dd>
        </div>
        <div>
          <dt>{t.inbox.to}</dt>
          <dd>{[...to, ...cc].map(address).join(', ')}</dd>
        </div>
        <div>
          <dt>{t.common.when}</dt>
          <dd>{exactTime(sentAt ?? createdAt)}</dd>
        </div>
      </dl>
      {bodyHtml ? (
        <MailHtml html={bodyHtml} />
      ) : (
        <p class="text">
          <Linked text={bodyText} />
        </p>
      )}
    </article>
  );
}

const Doubt = ({ spf, dkim, dmarc }: Schema<'EmailAuthentication'>) => (
  <Badge tone="bad">{t.inbox.mayNotBeFromThere(spf, dkim, dmarc)}</Badge>
);
