import * as v from 'valibot';
import { CreateTwitterAccount } from '#lib/accounts/account.ts';
import { createAccount } from '#lib/accounts/store.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...CreateTwitterAccount.entries });

/** What X allows a user. */
const defaultDailyLimit = 1440;

async function create(input: v.InferOutput<typeof Create>) {
  const { name, username = null, accessToken, dailyLimit = defaultDailyLimit } = input;
  const { id } = await asOperator(input, (tx) =>
    createAccount(tx, { channel: 'twitter', kind: 'user', name, username, dailyLimit, secret: accessToken }),
  );
  return { id };
}

export const commands = { create: { input: Create, run: create } };
