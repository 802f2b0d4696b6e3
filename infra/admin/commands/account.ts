import * as v from 'valibot';
import { updateAccount } from '#lib/accounts/change.ts';
import type { Platform } from '#lib/channels/channel.ts';
import { UpdateAccount } from '#lib/entities/account.ts';
import { id } from '#lib/schema.ts';
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
