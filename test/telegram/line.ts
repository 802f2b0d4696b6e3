import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import type * as v from 'valibot';
import type { Platform } from '#lib/core/channel.ts';
import { operator, system, type Tenant } from '#lib/core/tenant.ts';
import { createAccount, type NewAccount } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { type ReceiveMessage, receiveMessage } from '#lib/transport/receiving/message.ts';
import { place } from '#test/place.ts';
import type { Reaction, Stored } from '#test/telegram/double.ts';

/** An account with a token of its own at the provider double. */
export async function newAccount(tenant: Tenant, options: Partial<NewAccount> = {}) {
  const token = randomUUID();
  const account = await transact(tenant, operator, (tx) =>
    createAccount(tx, {
      channel: 'telegram',
      kind: 'bot',
      name: 'Bot',
      username: null,
      dailyLimit: 1000,
      secret: token,
      ...options,
    }),
  );
  const url = `${place('providerUrl')}/double/${token}`;
  return {
    id: account.id,
    token,
    /** The next requests are treated so. */
    async react(...reactions: Reaction[]) {
      const { body } = await request(url, { method: 'POST', body: JSON.stringify({ reactions }) });
      await body.dump();
    },
    async arrived(): Promise<{ stored: Stored[]; requests: number }> {
      const { body } = await request(url);
      return (await body.json()) as { stored: Stored[]; requests: number };
    },
  };
}

/** A person who has written to an account, so that it can answer. */
export const hears = (
  tenant: Tenant,
  accountId: number,
  from: v.InferOutput<typeof ReceiveMessage>['from'],
  channel: Platform = 'telegram',
) => transact(tenant, system, (tx) => receiveMessage(tx, { channel, accountId, from, body: 'Hello', threadId: null }));
