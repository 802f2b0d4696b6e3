import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { UserText } from '../../parts/user-text.tsx';
import type { Way } from './ways.ts';

type Mailbox = Schema<'Mailbox'>;

/** Returns a name and address as mail programs show them. */
export const addressOf = ({ name, email }: Mailbox): string => (name ? `${name} <${email}>` : email);

interface RecipientsProps {
  way: Way;
  /** The address that a new mail goes to. */
  to: string | undefined;
  cc: string;
  isToAll: boolean;
  change(to: { cc?: string; isToAll?: boolean }): void;
}

/** Whom a mail goes to, before it is sent. */
export function Recipients({ way: { threadId }, to, cc, isToAll, change }: RecipientsProps) {
  const found = useLoaded(
    (signal) =>
      threadId === undefined || !may('email:read')
        ? Promise.resolve(undefined)
        : api.get('/panel/email/threads/{id}/recipients', { signal, params: { path: { id: threadId } } }),
    [threadId],
    touching('message'),
  );
  const answer = found.data;
  const addresses = answer ? answer.to.map(addressOf) : to === undefined ? [] : [to];
  const { from = null, others = [] } = answer ?? {};
  const isElsewhere = from !== null && !answer?.to.some(({ email }) => email === from.email);
  return (
    <div class="recipients">
      <p>
        <span class="muted">{t.inbox.to}</span> <UserText text={addresses.join(', ')} />
        {isElsewhere && <span class="hint"> {t.inbox.asksToBeAnsweredThere(from.email)}</span>}
      </p>
      {others.length > 0 && (
        <label>
          <input
            type="checkbox"
            checked={isToAll}
            onChange={({ currentTarget }) => change({ isToAll: currentTarget.checked })}
          />{' '}
          {t.inbox.alsoTo} <UserText text={others.map(addressOf).join(', ')} />
        </label>
      )}
      <input
        aria-label={t.inbox.cc}
        placeholder={t.inbox.cc}
        value={cc}
        onInput={({ currentTarget }) => change({ cc: currentTarget.value })}
      />
    </div>
  );
}
