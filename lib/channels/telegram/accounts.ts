import * as v from 'valibot';
import { unlessUnreadable } from '#lib/aws/secrets.ts';
import { inboundModes } from '#lib/core/choices.ts';
import { secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { invalidField, unavailable } from '#lib/core/problem.ts';
import { choice, line, pattern } from '#lib/core/schema.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { newAccountLimits, type StoredAccount } from '#lib/entities/account.ts';
import { Inbounds } from '#lib/entities/inbound.ts';
import { asking, type Identity, nameOf, refusedToken, sandboxIdentity } from '#lib/messages/accounts/ask.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { defaultMode, endAccount, listen, listenAgain, requireMode } from '#lib/messages/accounts/inbound.ts';
import { lockForEnd } from '#lib/messages/accounts/sender.ts';
import { accountSecret, createAccount, getStoredAccount } from '#lib/messages/accounts/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { telegramApp } from './app.ts';
import { type BotAnswer, failureOf, openBotApi } from './bot-api.ts';

const botToken = () => pattern(/^[A-Za-z0-9_:-]+$/, 200, 'the token of a bot');

/** A bot that a caller connects (contract section 22.1). */
export const CreateBot = v.pipe(
  v.object({
    kind: choice(['bot']),
    botToken: botToken(),
    name: v.optional(line(200)),
    ...newAccountLimits,
    inbound: v.optional(choice(inboundModes)),
  }),
  v.title('CreateBot'),
);

export const ConnectBot = v.pipe(v.object({ botToken: botToken() }), v.title('ConnectBot'));

/**
 * Connects a bot, which listens from then on. Raises 400 for a token that Telegram refuses, 409 `account_exists` and
 * `no_public_address`, and 503 when Telegram does not answer, 429 while too many slow calls are under way. Needs the key.
 */
export async function createBot(
  tx: UnitOfWork,
  { kind, botToken: secret, name, dailyLimit, pacing, inbound }: v.InferOutput<typeof CreateBot>,
  address: string | undefined,
): Promise<StoredAccount> {
  const bot = { channel: telegram.name, kind };
  const mode = inbound ?? defaultMode(bot, address);
  requireMode(bot, mode, address);
  const { userId, ...names } = await asking(tx, () => whoIs(tx.tenant, secret));
  const account = await createAccount(tx, {
    ...bot,
    name: name ?? names.name,
    username: names.username,
    dailyLimit: dailyLimit ?? telegram.kinds.bot.dailyLimit,
    ...(pacing !== undefined && { pacing }),
    platformUserId: userId,
    secret,
  });
  await listen(tx, account, mode, address);
  return account;
}

/**
 * Gives a bot a new token of the same bot, and lets it listen as before. Raises as `createBot`, and 404, and 409 `other_account`.
 * Needs the key.
 */
export async function connectBot(
  tx: UnitOfWork,
  id: number,
  { botToken: secret }: v.InferOutput<typeof ConnectBot>,
  address: string | undefined,
): Promise<StoredAccount> {
  const known = await getStoredAccount(tx, id, telegram.name);
  if (known.kind !== 'bot') throw invalidField('botToken', 'not_allowed', `the account is of kind ${known.kind}`);
  const { userId: platformUserId } = await asking(tx, () => whoIs(tx.tenant, secret));
  const account = await connectAccount(tx, known, { kind: 'bot', secret, platformUserId });
  await listenAgain(tx, account, address);
  return account;
}

/**
 * Ends an account: its hook is taken from Telegram or its session ended there, its secret forgotten. Emits account.status_changed.
 * Raises 404. Needs the key.
 */
export async function disconnectTelegram(tx: UnitOfWork, id: number): Promise<StoredAccount> {
  const known = await getStoredAccount(tx, id, telegram.name);
  if (known.kind === 'user' && known.secret !== '' && tx.tenant.env === 'live') await endSession(tx, known);
  // The former owner of the lease has written how the account receives.
  const inbound = await tx.find(Inbounds, { id });
  if (known.kind === 'bot' && known.secret !== '' && inbound?.isHooked)
    await removeHook(await unlessUnreadable(accountSecret(tx.tenant, known)));
  return endAccount(tx, known, inbound);
}

/** Whether Telegram hears of it or not: without its row a hook is none. */
async function removeHook(token: string | undefined): Promise<void> {
  if (token === undefined) return;
  const bot = openBotApi(token);
  try {
    const answer = await bot.call('deleteWebhook');
    if (answer.kind !== 'result') log().warn('the hook of a bot that is disconnected may be left at Telegram');
  } finally {
    await bot.close();
  }
}

/**
 * Whether Telegram hears of it or not: without its session nobody here can use the account. Nobody else does until the unit of work
 * is over.
 */
async function endSession(tx: UnitOfWork, account: StoredAccount): Promise<void> {
  const app = await telegramApp();
  const [{ readSession }, { connectUser }, secret] = await Promise.all([
    import('./connection.ts'),
    import('./user-connection.ts'),
    unlessUnreadable(accountSecret(tx.tenant, account)),
  ]);
  const session = secret && readSession(secret);
  if (!session || !app) return;
  await lockForEnd(tx, account);
  try {
    const connection = await connectUser(session, app);
    await connection.logOut().finally(() => connection.close());
  } catch (error) {
    log().warn('the session of an account that is disconnected may be left at Telegram', error as Error);
  }
}

const Me = v.object({
  id: v.pipe(v.number(), v.safeInteger()),
  first_name: v.optional(v.string(), ''),
  username: v.optional(v.string()),
});

/** Whose token it is; nobody outside is asked for the sandbox. Raises 400 and 503. */
async function whoIs({ env }: Tenant, token: string): Promise<Identity> {
  if (env === 'test') return sandboxIdentity('botToken', token, 'Sandbox bot');
  const bot = openBotApi(token);
  try {
    const answer = await bot.call('getMe');
    if (answer.kind === 'refusal' && answer.retryAfterSeconds === undefined && answer.status < 500)
      throw refusedToken('botToken', 'Telegram knows no bot of this token');
    const me = v.safeParse(Me, answer.kind === 'result' ? answer.result : undefined);
    if (!me.success) throw unavailable(retryAfterSeconds(answer), new Error('Telegram did not say whose token it is'));
    const { id, first_name: first, username = null } = me.output;
    return { userId: String(id), name: nameOf(first, username ?? '', String(id)), username };
  } finally {
    await bot.close();
  }
}

const retryAfterSeconds = (answer: BotAnswer): number => Math.max(1, Math.ceil(failureOf(answer).waitMs / secondMs));
