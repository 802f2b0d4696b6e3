import * as v from 'valibot';
import { connectAccount } from '#lib/accounts/change.ts';
import { createAccount } from '#lib/accounts/store.ts';
import { twitter } from '#lib/channels/twitter/channel.ts';
import { newAccountFields } from '#lib/entities/account.ts';
import { id, secret } from '#lib/schema.ts';
import { updateOf } from './account.ts';
import { asOperator, tenantFields } from './operator.ts';

const twitterToken = { accessToken: secret() };

const Create = v.object({ ...tenantFields, ...newAccountFields, ...twitterToken });

async function create(input: v.InferOutput<typeof Create>) {
  const { name, username = null, accessToken, dailyLimit = twitter.kinds.user.dailyLimit, pacing } = input;
  const account = await asOperator(input, (tx) =>
    createAccount(tx, {
      channel: twitter.name,
      kind: 'user',
      name,
      username,
      dailyLimit,
      ...(pacing && { pacing }),
      secret: accessToken,
    }),
  );
  return { id: account.id };
}

const Connect = v.object({ ...tenantFields, id: id(), ...twitterToken });

/** A new token of the same person. */
async function connect({ accessToken, ...input }: v.InferOutput<typeof Connect>) {
  const account = { id: input.id, channel: twitter.name };
  const { id, state } = await asOperator(input, (tx) =>
    connectAccount(tx, account, { kind: 'user', secret: accessToken }),
  );
  return { id, status: state };
}

export const commands = {
  create: { input: Create, run: create },
  update: updateOf(twitter.name),
  connect: { input: Connect, run: connect },
};
