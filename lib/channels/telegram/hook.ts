import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { decrypt, unlessUnreadable } from '#lib/aws/secrets.ts';
import { hourMs, notBefore, shifted, timestamp } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { Inbounds, type StoredInbound } from '#lib/entities/inbound.ts';
import { isPolled, publicAddress, wakePoller } from '#lib/messages/accounts/inbound.ts';
import { accountSecret, secretContext } from '#lib/messages/accounts/store.ts';
import { retryWaitMs, toErrorText } from '#lib/messages/jobs/after.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type BotAnswer, type BotApi, type Failure, failureOf, openBotApi } from './bot-api.ts';
import { noteFailure, unreadableToken } from './failing.ts';

/** Kinds of updates that Telegram sends to a bot (https://core.telegram.org/bots/api#update). */
export const allowedUpdates = ['message', 'edited_message', 'my_chat_member', 'callback_query'];

const maxConnections = 40;
/** How often what Telegram knows of a hook is compared. */
const lookEveryMs = hourMs;
const maxLooks = 3;

/** Result of checking a bot's hook: right, missing, or failed, with the error from Telegram. */
type Found = { kind: 'right'; lastError: string | null } | { kind: 'gone' } | ({ kind: 'failed' } & Failure);

/**
 * Sees to it that Telegram knows of an account's hook, or no longer does, whichever its mode asks for; again after the waits of
 * contract section 3 until it succeeds, then once an hour. Needs the key.
 */
export async function lookAfterHook(tenant: Tenant, accountId: number): Promise<void> {
  // Changes in the same second share one timer, which runs once.
  for (let looks = 0; looks < maxLooks; looks += 1) if (await isDone(tenant, accountId)) return;
}

/** Whether what there was to do is done, and nobody has changed it meanwhile. */
async function isDone(tenant: Tenant, accountId: number): Promise<boolean> {
  const tx = new UnitOfWork(tenant, system);
  const [account, inbound] = await Promise.all([
    tx.find(Accounts, { id: accountId }),
    tx.find(Inbounds, { id: accountId }),
  ]);
  if (!account || !inbound || inbound.dueAt === null || inbound.dueAt > timestamp()) return true;
  if (account.state !== 'active') return note(tenant, account, inbound, { kind: 'gone' });
  const found = await unlessUnreadable(look(tenant, account, inbound));
  return note(tenant, account, inbound, found ?? { kind: 'failed', ...unreadableToken });
}

async function look(tenant: Tenant, account: StoredAccount, inbound: StoredInbound): Promise<Found> {
  const bot = openBotApi(await accountSecret(tenant, account));
  try {
    return inbound.hook === null ? await removed(bot) : await seenTo(tenant, bot, account, inbound);
  } finally {
    await bot.close();
  }
}

const removed = async (bot: BotApi): Promise<Found> => {
  const answer = await bot.call('deleteWebhook', { drop_pending_updates: false });
  return answer.kind === 'result' ? { kind: 'gone' } : failed(answer);
};

const Info = v.object({
  url: v.string(),
  max_connections: v.optional(v.number()),
  allowed_updates: v.optional(v.array(v.string()), []),
  last_error_message: v.optional(v.string()),
});

async function seenTo(tenant: Tenant, bot: BotApi, account: StoredAccount, inbound: StoredInbound): Promise<Found> {
  const hook = inbound.hook as NonNullable<StoredInbound['hook']>;
  const address = publicAddress(undefined) ?? hook.address;
  const url = `${address}/hooks/telegram/${hook.id}`;
  if (inbound.status === 'ok' && inbound.failures === 0) {
    const answer = await bot.call('getWebhookInfo');
    if (answer.kind !== 'result') return failed(answer);
    const info = v.safeParse(Info, answer.result);
    if (info.success && isAsItMust(info.output, url))
      return { kind: 'right', lastError: info.output.last_error_message ?? null };
  }
  const answer = await bot.call('setWebhook', {
    url,
    secret_token: await decrypt(hook.secret, secretContext(tenant, account.id)),
    allowed_updates: allowedUpdates,
    max_connections: maxConnections,
    drop_pending_updates: false,
  });
  return answer.kind === 'result' ? { kind: 'right', lastError: null } : failed(answer);
}

const isAsItMust = (info: v.InferOutput<typeof Info>, url: string): boolean =>
  info.url === url &&
  info.max_connections === maxConnections &&
  isDeepStrictEqual(info.allowed_updates.toSorted(), allowedUpdates.toSorted());

const failed = (answer: BotAnswer): Found => ({ kind: 'failed', ...failureOf(answer) });

/** Writes down what was found, unless somebody has chosen otherwise meanwhile. Returns whether it did. */
const note = (tenant: Tenant, { secret }: StoredAccount, seen: StoredInbound, found: Found): Promise<boolean> =>
  transact(tenant, system, async (tx) => {
    const [inbound, account] = [await tx.find(Inbounds, { id: seen.id }), await tx.get(Accounts, { id: seen.id })];
    // One that has a new secret meanwhile is looked at again.
    if (account.secret !== secret) return false;
    if (!inbound || inbound.dueAt !== seen.dueAt || inbound.hook?.id !== seen.hook?.id) return !inbound;
    if (found.kind === 'failed') {
      const restMs = Math.max(found.waitMs, retryWaitMs(inbound.failures));
      noteFailure(tx, account, inbound, found, { dueAt: found.isRevoked ? null : notBefore(restMs) });
      return true;
    }
    const next: StoredInbound =
      found.kind === 'gone'
        ? { ...inbound, isHooked: false, dueAt: null, failures: 0 }
        : {
            ...inbound,
            status: 'ok',
            lastError: found.lastError && toErrorText(found.lastError),
            failures: 0,
            dueAt: shifted(tx.now, lookEveryMs),
          };
    tx.update(Inbounds, next);
    if (isPolled(next)) await wakePoller(tx);
    return true;
  });
