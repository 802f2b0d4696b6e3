import * as v from 'valibot';
import { requireClient } from '#lib/channels/twitter/accounts.ts';
import { secretOf, tokenFields } from '#lib/channels/twitter/tokens.ts';
import { inboundModes } from '#lib/core/choices.ts';
import { choice, id } from '#lib/core/schema.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import { newAccountFields } from '#lib/entities/account.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { listening, updateOf } from './account.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({
  ...tenantFields,
  ...newAccountFields,
  ...tokenFields,
  inbound: v.optional(choice(inboundModes)),
});

async function create(input: v.InferOutput<typeof Create>) {
  const { workspaceId, env, name, username = null, dailyLimit, pacing, inbound, ...tokens } = input;
  requireClient(tokens);
  const account = {
    channel: twitter.name,
    kind: 'user',
    name,
    username,
    dailyLimit: dailyLimit ?? twitter.kinds.user.dailyLimit,
    ...(pacing !== undefined && { pacing }),
    secret: secretOf(tokens),
  } as const;
  const { id } = await asOperator({ workspaceId, env }, async (tx) =>
    listening(tx, await createAccount(tx, account), inbound),
  );
  return { id };
}

const Connect = v.object({ ...tenantFields, id: id(), ...tokenFields });

/** New tokens of the same person. */
async function connect({ workspaceId, env, id, ...tokens }: v.InferOutput<typeof Connect>) {
  requireClient(tokens);
  const secret = { kind: 'user', secret: secretOf(tokens) } as const;
  const { state } = await asOperator({ workspaceId, env }, async (tx) =>
    listening(tx, await connectAccount(tx, { id, channel: twitter.name }, secret)),
  );
  return { id, status: state };
}

export const commands = {
  create: { input: Create, run: create },
  update: updateOf(twitter.name),
  connect: { input: Connect, run: connect },
};
