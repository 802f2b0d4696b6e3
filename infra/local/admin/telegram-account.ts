import * as v from 'valibot';
import { CreateTelegramAccount } from '#lib/accounts/account.ts';
import { createAccount } from '#lib/accounts/store.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.intersect([v.object(tenantFields), CreateTelegramAccount]);

const defaultDailyLimit = { bot: 100_000, user: 200 };

async function create(input: v.InferOutput<typeof Create>) {
  const { kind, name, username = null, dailyLimit = defaultDailyLimit[kind] } = input;
  const secret = input.kind === 'bot' ? input.botToken : input.session;
  const { id } = await asOperator(input, (tx) =>
    createAccount(tx, { channel: 'telegram', kind, name, username, dailyLimit, secret }),
  );
  return { id };
}

export const commands = { create: { input: Create, run: create } };
