import type * as v from 'valibot';
import { Accounts, type StoredAccount, type UpdateAccount } from '#lib/entities/account.ts';
import { invalidField } from '#lib/problem.ts';
import { encrypt } from '#lib/secrets.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { operator } from '#lib/tenant.ts';
import { type AccountPlace, betweenSenders } from './sender.ts';
import { getStoredAccount, type NewAccount, secretContext, setAccountState } from './store.ts';

/**
 * Gives an account a new token or session, and lets its queue go on at once. Emits account.status_changed unless it was active. Raises
 * 404, also for an account of another channel, and 400 for one of another kind. Needs the key.
 */
export async function connectAccount(
  place: AccountPlace,
  { kind, secret }: Pick<NewAccount, 'kind' | 'secret'>,
): Promise<StoredAccount> {
  const { tenant, channel, accountId } = place;
  const known = await getStoredAccount(new UnitOfWork(tenant, operator), accountId, channel);
  if (known.kind !== kind) throw invalidField('kind', 'not_allowed', `the account is of kind ${known.kind}`);
  const encrypted = await encrypt(secret, secretContext(tenant, accountId));
  // No sender that still has the old secret writes down afterwards what became of it.
  return betweenSenders(place, async (tx) => {
    const account = tx.update(Accounts, { ...(await getStoredAccount(tx, accountId, channel)), secret: encrypted });
    return setAccountState(tx, account, 'active');
  });
}

/**
 * Changes what is given, the daily limit and the whole pacing, and lets the queue go on at once. Raises 404, also for an account of
 * another channel.
 */
export async function updateAccount(
  place: AccountPlace,
  change: v.InferOutput<typeof UpdateAccount>,
): Promise<StoredAccount> {
  const { tenant, channel, accountId } = place;
  await getStoredAccount(new UnitOfWork(tenant, operator), accountId, channel);
  // A sender that has found the day full would let the queue wait for the next one.
  return betweenSenders(place, async (tx) =>
    tx.update(Accounts, { ...(await getStoredAccount(tx, accountId, channel)), ...change }),
  );
}
