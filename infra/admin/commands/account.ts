import * as v from 'valibot';
import type { Platform } from '#lib/core/channel.ts';
import type { InboundMode } from '#lib/core/choices.ts';
import { id } from '#lib/core/schema.ts';
import { type StoredAccount, UpdateAccount } from '#lib/entities/account.ts';
import { updateAccount } from '#lib/messages/accounts/change.ts';
import { listen, listenAgain, publicAddress } from '#lib/messages/accounts/inbound.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { asOperator, tenantFields } from './operator.ts';

const Update = v.object({ ...tenantFields, id: id(), ...UpdateAccount.entries });

/** The command that changes how much and how fast an account of a channel sends. */
export const updateOf = (channel: Platform) => ({
  input: Update,
  async run({ workspaceId, env, id, ...change }: v.InferOutput<typeof Update>) {
    const { dailyLimit, pacing } = await asOperator({ workspaceId, env }, (tx) =>
      updateAccount(tx, { id, channel }, change),
    );
    return { id, dailyLimit, pacing: pacing ?? {} };
  },
});

/** It hears as one that a caller connects, unless the operator says how. */
export async function listening(tx: UnitOfWork, account: StoredAccount, mode?: InboundMode): Promise<StoredAccount> {
  const address = publicAddress(stackDomain());
  if (mode === undefined) await listenAgain(tx, account, address);
  else await listen(tx, account, mode, address);
  return account;
}

/** Returns the domain of the stack whose outputs the command has. */
const stackDomain = () => process.env['API_URL']?.replace(/^https:\/\//, '');
