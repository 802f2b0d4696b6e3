import type * as v from 'valibot';
import { encrypt } from '#lib/aws/secrets.ts';
import type { Platform } from '#lib/core/channel.ts';
import { conflict, invalidField } from '#lib/core/problem.ts';
import { Accounts, type StoredAccount, storedPacing, type UpdateAccount } from '#lib/entities/account.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { wakeSender } from './sender.ts';
import {
  claimHolder,
  getStoredAccount,
  type NewAccount,
  requireRoom,
  secretContext,
  setAccountState,
} from './store.ts';

interface AccountName {
  id: number;
  channel: Platform;
}

/**
 * Gives an account a new token or session, and lets its queue go on at once. Emits account.status_changed unless it was active. Raises
 * 404, also for an account of another channel, 400 for one of another kind and 409 `other_account` for that of somebody else, where it
 * is known who they are. Needs the key.
 */
export async function connectAccount(
  tx: UnitOfWork,
  { id, channel }: AccountName,
  { kind, secret, platformUserId }: Pick<NewAccount, 'kind' | 'secret' | 'platformUserId'>,
): Promise<StoredAccount> {
  const known = await getStoredAccount(tx, id, channel);
  if (known.kind !== kind) throw invalidField('kind', 'not_allowed', `the account is of kind ${known.kind}`);
  if (known.state === 'disconnected') await requireRoom(tx, { isNew: false });
  if (platformUserId !== undefined) await holdAccount(tx, known, platformUserId);
  const account = tx.update(Accounts, {
    ...known,
    secret: await encrypt(secret, secretContext(tx.tenant, id)),
    ...(platformUserId !== undefined && { platformUserId }),
  });
  await wakeSender(tx, id);
  return setAccountState(tx, account, 'active');
}

/** An account is who it was. Raises 409 `other_account`, and `account_exists` when that one has an account already. */
async function holdAccount(tx: UnitOfWork, { id, channel, platformUserId: held }: StoredAccount, userId: string) {
  if (held !== undefined && held !== userId)
    throw conflict(
      'other_account',
      'the credential belongs to another account of the platform: connect that as a new account',
    );
  if (held === undefined) await claimHolder(tx, channel, userId, id);
}

/**
 * Changes what is given, the daily limit and the whole pacing, and lets the queue go on at once. Raises 404, also for an account of
 * another channel.
 */
export async function updateAccount(
  tx: UnitOfWork,
  { id, channel }: AccountName,
  { pacing, ...change }: v.InferOutput<typeof UpdateAccount> & { name?: string },
): Promise<StoredAccount> {
  const account = tx.update(Accounts, {
    ...(await getStoredAccount(tx, id, channel)),
    ...change,
    ...(pacing !== undefined && { pacing: storedPacing(pacing) }),
  });
  // A sender that has found the day full would let the queue wait for the next one.
  await wakeSender(tx, id);
  return account;
}
