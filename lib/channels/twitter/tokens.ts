import * as v from 'valibot';
import { encrypt } from '#lib/aws/secrets.ts';
import { fromNow, hourMs, minuteMs, shifted, timestamp } from '#lib/core/clock.ts';
import { pattern } from '#lib/core/schema.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { accountSecret, secretContext } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';

/** Returns the schema of a bearer token (RFC 6750, section 2.1). X's client IDs and secrets have the same form. */
const token = (max = 500) => pattern(/^[A-Za-z0-9\-._~+/]+=*$/, max, 'a token: letters, digits and -._~+/=');
const clientField = () => token(200);

/** Fields with which a caller connects an X account. A refresh token belongs to the client that got it. */
export const tokenFields = {
  accessToken: token(),
  refreshToken: v.optional(token()),
  clientId: v.optional(clientField()),
  clientSecret: v.optional(clientField()),
};

const Tokens = v.object({
  ...tokenFields,
  /** At the latest: nobody says how old a given access token is. */
  expiresAt: v.optional(v.string()),
});
export type Tokens = v.InferOutput<typeof Tokens>;

/** https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code */
const lifetimeMs = 2 * hourMs;

/** The secret of an account that was given these. */
export const secretOf = ({ accessToken, refreshToken, clientId, clientSecret }: Tokens): string =>
  JSON.stringify({ accessToken, refreshToken, clientId, clientSecret, expiresAt: fromNow(lifetimeMs) });

/** Returns the tokens in the secret of an account; older secrets hold only the access token. Throws if it is unreadable. Needs the key. */
export async function tokensOf(tenant: Tenant, account: StoredAccount): Promise<Tokens> {
  const secret = await accountSecret(tenant, account);
  return secret.startsWith('{') ? v.parse(Tokens, JSON.parse(secret)) : { accessToken: secret };
}

/** Answer of X to a valid refresh token. */
const Renewed = v.object({
  access_token: token(),
  refresh_token: v.optional(token()),
  expires_in: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(31_536_000)), lifetimeMs / 1000),
});

/** The pair that X has given for another; undefined where it is none. */
export function renewTokens(before: Tokens, answer: unknown): Tokens | undefined {
  const pair = v.safeParse(Renewed, answer);
  if (!pair.success) return undefined;
  const { access_token: accessToken, refresh_token: refreshToken = before.refreshToken, expires_in } = pair.output;
  return { ...before, accessToken, refreshToken, expiresAt: fromNow(expires_in * 1000) };
}

/** Stores a new pair. Returns the account with it; undefined where the account was given other tokens meanwhile. Needs the key. */
export async function keepTokens(
  tenant: Tenant,
  { id, secret: before }: StoredAccount,
  tokens: Tokens,
): Promise<StoredAccount | undefined> {
  const secret = await encrypt(JSON.stringify(tokens), secretContext(tenant, id));
  return transact(tenant, system, async (tx) => {
    const account = await tx.find(Accounts, { id });
    return account?.secret === before ? tx.update(Accounts, { ...account, secret }) : undefined;
  });
}

/** So long before an access token ends it is renewed. */
const earlyMs = 5 * minuteMs;

/** Whether an access token is about to end and can be renewed. */
export const isEnding = ({ refreshToken, expiresAt }: Tokens): boolean =>
  refreshToken !== undefined && expiresAt !== undefined && shifted(expiresAt, -earlyMs) <= timestamp();
