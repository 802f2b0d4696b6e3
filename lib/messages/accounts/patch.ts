import type * as v from 'valibot';
import type { Platform } from '#lib/core/channel.ts';
import type { Account, PatchAccount } from '#lib/entities/account.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { updateAccount } from './change.ts';
import { listen, publicAddress } from './inbound.ts';
import { getAccount, getStoredAccount } from './store.ts';

/**
 * Changes what is given; of the pacing what is given there, too, where null is what the account's kind does by default. `domain` is the
 * one that the API was asked under. Raises 404, 400 for a mode that accounts of the kind do not have, and 409 `no_public_address`. Needs
 * the key.
 */
export async function patchAccount(
  tx: UnitOfWork,
  place: { id: number; channel: Platform },
  { inbound, pacing, ...change }: v.InferOutput<typeof PatchAccount>,
  domain: string | undefined,
): Promise<v.InferOutput<typeof Account>> {
  const before = await getStoredAccount(tx, place.id, place.channel);
  const account = await updateAccount(tx, place, {
    ...change,
    ...(pacing !== undefined && { pacing: pacing && { ...before.pacing, ...pacing } }),
  });
  if (inbound !== undefined) await listen(tx, account, inbound, publicAddress(domain));
  return getAccount(tx, place.id, place.channel);
}
