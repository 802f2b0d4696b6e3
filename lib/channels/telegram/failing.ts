import type { StoredAccount } from '#lib/entities/account.ts';
import { Inbounds, type StoredInbound } from '#lib/entities/inbound.ts';
import { setAccountState } from '#lib/messages/accounts/store.ts';
import { toErrorText } from '#lib/messages/jobs/after.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Failure } from './bot-api.ts';

/** Failure of a bot whose token was encrypted with another key, as in an earlier deployment. */
export const unreadableToken: Failure = {
  error: 'the token of the bot cannot be read: connect it again',
  isRevoked: true,
  waitMs: 0,
};

/** The bot does not hear, and why; `next` says when to try again. A bot whose token is revoked is disconnected. */
export function noteFailure(
  tx: UnitOfWork,
  account: StoredAccount,
  inbound: StoredInbound,
  { error, isRevoked }: Failure,
  next: Partial<Pick<StoredInbound, 'dueAt' | 'restUntil'>>,
): void {
  if (isRevoked) setAccountState(tx, account, 'disconnected');
  tx.update(Inbounds, {
    ...inbound,
    ...next,
    status: 'failing',
    lastError: toErrorText(error),
    failures: inbound.failures + 1,
  });
}
