import { setTimeout as sleep } from 'node:timers/promises';
import { secondMs, timestamp } from '#lib/clock.ts';
import { invalidField } from '#lib/problem.ts';
import { encrypt } from '#lib/secrets.ts';
import { Transaction, transact } from '#lib/table/transaction.ts';
import { operator } from '#lib/tenant.ts';
import { Accounts, type StoredAccount } from './account.ts';
import { type AccountPlace, acquire, release } from './sender.ts';
import { getStoredAccount, type NewAccount, secretContext, setAccountState } from './store.ts';

const leaseMs = 10 * secondMs;
/** Longer than any sender holds an account. */
const patienceMs = 60 * secondMs;
const pauseMs = 500;

/**
 * Gives an account a new token or session, and lets its queue go on at once. Emits account.status_changed unless it was active. Raises
 * 404, also for an account of another channel, and 400 for one of another kind. Needs `kms`.
 */
export async function connectAccount(
  place: AccountPlace,
  { kind, secret }: Pick<NewAccount, 'kind' | 'secret'>,
): Promise<StoredAccount> {
  const { tenant, channel, accountId } = place;
  const known = await getStoredAccount(new Transaction(tenant, operator), accountId, channel);
  if (known.kind !== kind) throw invalidField('kind', 'not_allowed', `the account is of kind ${known.kind}`);
  const encrypted = await encrypt(secret, secretContext(tenant, accountId));
  // As its sender, so that none that still has the old secret writes down afterwards what became of it.
  const lease = await acquired(place);
  try {
    return await transact(tenant, operator, async (tx) => {
      const account = tx.update(Accounts, { ...(await getStoredAccount(tx, accountId, channel)), secret: encrypted });
      return setAccountState(tx, account, 'active');
    });
  } finally {
    await release(lease, timestamp());
  }
}

async function acquired(place: AccountPlace) {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const lease = await acquire(place, leaseMs);
    if (lease) return lease;
    if (Date.now() > deadline) throw new Error('the account is in use all the while: try again');
    await sleep(pauseMs);
  }
}
