import { createHash, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { encrypt } from '#lib/aws/secrets.ts';
import { platforms } from '#lib/core/channel.ts';
import type { InboundMode } from '#lib/core/choices.ts';
import { env } from '#lib/core/env.ts';
import { conflict, invalidField } from '#lib/core/problem.ts';
import { randomText } from '#lib/core/random.ts';
import { id, storedChoice } from '#lib/core/schema.ts';
import { environments, type Tenant } from '#lib/core/tenant.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import { Inbounds, Pollers, type StoredInbound, type UpdatesState } from '#lib/entities/inbound.ts';
import { keyOf } from '#lib/table/entity.ts';
import { rowKey } from '#lib/table/keys.ts';
import { readRow } from '#lib/table/rows.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { writeIf } from '#lib/table/write.ts';
import { allowanceOf, disconnectAccount, secretContext } from './store.ts';

type Hook = NonNullable<StoredInbound['hook']>;

/** API Gateway's own. */
const gatewayDomain = /\.execute-api\.[a-z0-9-]+\.amazonaws\.com$/;

/** The https address at which platforms reach this deployment, asked under `domain`; undefined when there is none. */
export function publicAddress(domain: string | undefined): string | undefined {
  const own = domain !== undefined && gatewayDomain.test(domain) ? `https://${domain}` : undefined;
  return env('PUBLIC_URL')?.replace(/\/$/, '') ?? own;
}

/** How an account hears unless somebody says otherwise. */
export function defaultMode(
  account: Pick<StoredAccount, 'channel' | 'kind'>,
  address: string | undefined,
): InboundMode {
  const { inbound } = allowanceOf(account);
  if (inbound.includes('webhook') && address !== undefined) return 'webhook';
  return inbound.includes('polling') ? 'polling' : 'off';
}

/** Raises 400 for a mode that accounts of this kind do not have, and 409 `no_public_address`. */
export function requireMode(
  account: Pick<StoredAccount, 'channel' | 'kind'>,
  mode: InboundMode,
  address: string | undefined,
) {
  const { inbound } = allowanceOf(account);
  if (!inbound.includes(mode))
    throw invalidField(
      'inbound',
      'not_allowed',
      `inbound must be one of ${inbound.join(', ')} for a ${account.channel} ${account.kind}`,
    );
  if (mode === 'webhook' && address === undefined)
    throw conflict(
      'no_public_address',
      'this deployment has no public https address: use polling, or ask the operator to set PUBLIC_URL',
    );
}

/**
 * From now on the account listens so; its worker does what there is to do at the platform. One that is not active, or of the sandbox,
 * listens to nothing. Raises as `requireMode`. Needs the key.
 */
export async function listen(
  tx: UnitOfWork,
  account: StoredAccount,
  mode: InboundMode,
  address: string | undefined,
): Promise<void> {
  requireMode(account, mode, address);
  const before = await tx.find(Inbounds, { id: account.id });
  const isLive = account.state === 'active' && tx.tenant.env === 'live';
  const hook = mode === 'webhook' && isLive ? await hookAt(tx, account, address as string, before?.hook) : null;
  if (before?.hook && before.hook.id !== hook?.id)
    tx.write({ key: rowKey('hook', { hookId: before.hook.id }), item: null });
  const isHooked = hook !== null || (before?.isHooked ?? false);
  // Bots that poll are asked for together.
  const asksItself = account.kind === 'user' && mode === 'polling';
  const next: StoredInbound = {
    ...(before ?? { id: account.id, channel: account.channel, lastReceivedAt: null, receivedTo: null, events: null }),
    mode,
    status: statusAtFirst(tx.tenant, account, mode),
    lastError: null,
    hook,
    isHooked,
    dueAt: isLive && (isHooked || asksItself) ? tx.now : null,
    failures: 0,
    restUntil: null,
  };
  if (before) tx.update(Inbounds, next);
  else tx.create(Inbounds, next);
  if (isLive && !asksItself && isPolled(next)) await wakePoller(tx);
}

/** Nobody knows yet whether it works. */
const statusAtFirst = ({ env: environment }: Tenant, { state }: StoredAccount, mode: InboundMode) =>
  mode !== 'off' && state === 'active' && environment === 'test' ? 'ok' : 'off';

/**
 * An account that was connected, for the first time or again, listens as before, else as its kind does by default; to what
 * comes after `receivedTo`, where that is given. Needs the key.
 */
export async function listenAgain(
  tx: UnitOfWork,
  account: StoredAccount,
  address: string | undefined,
  receivedTo?: UpdatesState | null,
): Promise<void> {
  const before = await tx.find(Inbounds, { id: account.id });
  const mode = before?.mode ?? defaultMode(account, address);
  await listen(tx, account, mode === 'webhook' && address === undefined ? 'off' : mode, address);
  if (receivedTo !== undefined) tx.update(Inbounds, { ...(await tx.get(Inbounds, { id: account.id })), receivedTo });
}

/** The account is connected no longer; its mode holds once it is again. */
function stopListening(tx: UnitOfWork, inbound: StoredInbound): void {
  if (inbound.hook) tx.write({ key: rowKey('hook', { hookId: inbound.hook.id }), item: null });
  tx.update(Inbounds, {
    ...inbound,
    status: 'off',
    lastError: null,
    hook: null,
    isHooked: false,
    dueAt: null,
    restUntil: null,
  });
}

/** Forgets the secret of an account, which listens no longer. Emits account.status_changed unless it was disconnected. */
export function endAccount(tx: UnitOfWork, account: StoredAccount, inbound: StoredInbound | undefined): StoredAccount {
  const ended = disconnectAccount(tx, account);
  if (inbound) stopListening(tx, inbound);
  return ended;
}

/** Whether somebody is to poll for the account, if it is a bot's. */
export const isPolled = ({ mode, isHooked }: StoredInbound) => mode === 'polling' && !isHooked;

/** Somebody polls for the accounts of this tenant, from now on. */
export async function wakePoller(tx: UnitOfWork): Promise<void> {
  const poller = await tx.find(Pollers, { id: 1 });
  if (poller) tx.update(Pollers, { ...poller, resumeAt: tx.now });
  else tx.create(Pollers, { id: 1, leaseUntilMs: 0, resumeAt: tx.now });
}

const hookCharacters = 32;

/** The account's hook there: the one that it has, or a new one. */
async function hookAt(
  tx: UnitOfWork,
  { id, channel }: StoredAccount,
  address: string,
  before: Hook | null | undefined,
): Promise<Hook> {
  if (before) return { ...before, address };
  const [hookId, word] = [randomText(hookCharacters), randomText(hookCharacters)];
  const { workspaceId, env: environment } = tx.tenant;
  tx.write({
    key: rowKey('hook', { hookId }),
    item: { workspaceId, env: environment, channel, accountId: id, wordHash: hashOf(word) },
  });
  return { id: hookId, address, secret: await encrypt(word, secretContext(tx.tenant, id)) };
}

const StoredHook = v.object({
  workspaceId: id(),
  env: v.picklist(environments),
  channel: storedChoice(platforms),
  accountId: id(),
  /** SHA-256 of the word, hex. */
  wordHash: v.string(),
});

const hookForm = /^[A-Za-z0-9]{32}$/;

/** Whose hook it is; undefined when there is none of this id. */
export async function findHook(hookId: string) {
  const row = hookForm.test(hookId) ? await readRow(rowKey('hook', { hookId })) : undefined;
  if (row === undefined) return undefined;
  const { workspaceId, env: environment, ...hook } = v.parse(StoredHook, row);
  return { tenant: { workspaceId, env: environment } satisfies Tenant, ...hook };
}

/** Whether whoever posts to a hook knows its word; takes as long for every wrong one. */
export const provesItself = ({ wordHash }: { wordHash: string }, word: string | undefined): boolean =>
  timingSafeEqual(Buffer.from(hashOf(word ?? '')), Buffer.from(wordHash));

const hashOf = (word: string) => createHash('sha256').update(word).digest('hex');

/** Notes that something came in, at most once a second; beside whatever else is done with the row. */
export async function noteReceived(tenant: Tenant, accountId: number, now: string): Promise<void> {
  await writeIf({
    key: keyOf(tenant, Inbounds, { id: accountId }),
    set: { lastReceivedAt: now },
    if: { present: ['mode'], any: [{ is: { lastReceivedAt: null } }, { below: { lastReceivedAt: now } }] },
  });
}
