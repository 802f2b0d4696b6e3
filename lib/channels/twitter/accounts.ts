import * as v from 'valibot';
import { unlessUnreadable } from '#lib/aws/secrets.ts';
import { log } from '#lib/core/log.ts';
import { invalidField, unavailable } from '#lib/core/problem.ts';
import { line } from '#lib/core/schema.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import { Accounts, newAccountLimits, type StoredAccount } from '#lib/entities/account.ts';
import { AccountHolders, Inbounds } from '#lib/entities/inbound.ts';
import { asking, type Identity, nameOf, refusedToken, sandboxIdentity } from '#lib/messages/accounts/ask.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { endAccount, listenAgain } from '#lib/messages/accounts/inbound.ts';
import { lockForEnd } from '#lib/messages/accounts/sender.ts';
import { createAccount, getStoredAccount } from '#lib/messages/accounts/store.ts';
import { maxWaitSeconds } from '#lib/messages/jobs/outcomes.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { askWhose, revokeTokens, secondsUntilReset, userIn } from './api.ts';
import { secretOf, type Tokens, tokenFields, tokensOf } from './tokens.ts';

/** An X account that a caller connects (contract section 22.1). */
export const CreateTwitterAccount = v.pipe(
  v.object({ ...tokenFields, name: v.optional(line(200)), dailyLimit: newAccountLimits.dailyLimit }),
  v.title('CreateTwitterAccount'),
);

/** Raises 400 for a client secret that belongs to no client. */
export function requireClient({ clientId, clientSecret }: Tokens): void {
  if (clientId === undefined && clientSecret !== undefined)
    throw invalidField('clientId', 'required', 'a clientSecret needs the clientId that it belongs to');
}

/**
 * Connects the account of a person, which listens from then on; again where it is known and disconnected. Raises 400 for a token that X
 * refuses, 409 `account_exists`, and 503 when X does not answer, 429 while too many slow calls are under way. Needs the key.
 */
export async function createTwitterAccount(
  tx: UnitOfWork,
  { name, dailyLimit, ...tokens }: v.InferOutput<typeof CreateTwitterAccount>,
): Promise<StoredAccount> {
  requireClient(tokens);
  const { userId: platformUserId, ...names } = await asking(tx, () => whoIs(tx.tenant, tokens.accessToken));
  const place = { channel: twitter.name, kind: 'user' } as const;
  const login = { ...place, secret: secretOf(tokens), platformUserId };
  const ended = await findEnded(tx, platformUserId);
  const account = ended
    ? tx.update(Accounts, {
        ...(await connectAccount(tx, ended, login)),
        ...(name !== undefined && { name }),
        ...(dailyLimit !== undefined && { dailyLimit }),
        username: names.username,
      })
    : await createAccount(tx, {
        ...login,
        name: name ?? names.name,
        username: names.username,
        dailyLimit: dailyLimit ?? twitter.kinds.user.dailyLimit,
      });
  await listenAgain(tx, account, undefined);
  return account;
}

/** The account that this person had here. There is no other way to connect it again: X accounts have no operation `connect`. */
async function findEnded(tx: UnitOfWork, userId: string): Promise<StoredAccount | undefined> {
  const holder = await tx.find(AccountHolders, { channel: twitter.name, userId });
  const account = holder && (await tx.find(Accounts, { id: holder.id }));
  return account?.state === 'disconnected' ? account : undefined;
}

/** Whose token it is; nobody outside is asked for the sandbox. Raises 400 and 503. */
async function whoIs({ env }: Tenant, accessToken: string): Promise<Identity> {
  if (env === 'test') return sandboxIdentity('accessToken', accessToken, 'Sandbox account');
  const exchange = await askWhose(accessToken);
  const me = userIn(exchange);
  if (me) {
    const { id, name, username = null } = me;
    return { userId: id, name: nameOf(name, username ?? '', id), username };
  }
  if ('error' in exchange) throw unavailable(1, new Error(`X does not answer (${exchange.error})`));
  const { status } = exchange;
  if (status >= 400 && status < 500 && status !== 429)
    throw refusedToken('accessToken', `X answered ${status}: it takes no such access token`);
  const seconds = status === 429 ? Math.min(maxWaitSeconds, Math.max(1, Math.ceil(secondsUntilReset(exchange)))) : 1;
  throw unavailable(seconds, new Error(`X did not say whose token it is (${status})`));
}

/** Ends an account: its tokens are revoked at X and its secret forgotten. Emits account.status_changed. Raises 404. Needs the key. */
export async function disconnectTwitter(tx: UnitOfWork, id: number): Promise<StoredAccount> {
  const known = await getStoredAccount(tx, id, twitter.name);
  if (known.secret !== '' && tx.tenant.env === 'live') await endTokens(tx, id);
  return endAccount(tx, known, await tx.find(Inbounds, { id }));
}

/** Whether X hears of it or not: without its tokens nobody here can use the account. Nobody else does until the unit of work is over. */
async function endTokens(tx: UnitOfWork, id: number): Promise<void> {
  await lockForEnd(tx, { id, channel: twitter.name });
  // The former owner of the lease may have renewed them.
  const account = await new UnitOfWork(tx.tenant, system).get(Accounts, { id });
  // Somebody else has disconnected it.
  if (account.secret === '') return;
  const tokens = await unlessUnreadable(tokensOf(tx.tenant, account));
  if (!tokens || !(await revokeTokens(tokens)))
    log().warn('the tokens of an account that is disconnected may be left at X', { accountId: id });
}
