import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { may } from '../../app/session.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { UserText } from '../../parts/user-text.tsx';
import type { Way } from './ways.ts';

type Mailbox = Schema<'Mailbox'>;

/** Returns a name and address as mail programs show them. */
export const addressOf = ({ name, email }: Mailbox): string => (name ? `${name} <${email}>` : email);

/** Returns the addresses of a field, whatever is between them. */
export const addressesIn = (text: string) => text.split(/[\s,;]+/).filter((part) => part !== '');

interface RecipientsProps {
  way: Way;
  /** The address that a new mail goes to. */
  to: string | undefined;
  cc: string;
  isToAll: boolean;
  change(to: { cc?: string; isToAll?: boolean }): void;
}

/** Whom a mail goes to, before it is sent: in a line, which opens. The address stands there without the name, which can claim anything. */
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
  const mailboxes = answer?.to ?? (to === undefined ? [] : [{ name: null, email: to }]);
  const { from = null, others = [] } = answer ?? {};
  const isElsewhere = from !== null && !answer?.to.some(({ email }) => email === from.email);
  const [first, ...rest] = mailboxes;
  const more = rest.length + (isToAll ? others.length : 0) + addressesIn(cc).length;
  return (
    <div class="recipients">
      <details>
        <summary>
          <span class="muted">{t.inbox.to}</span> <UserText isName text={first?.email ?? ''} />
          {more > 0 && ` +${count(more)}`}
        </summary>
        <p>
          <UserText text={mailboxes.map(addressOf).join(', ')} />
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
      </details>
      {isElsewhere && <p class="hint">{t.inbox.asksToBeAnsweredThere(from.email)}</p>}
    </div>
  );
}
