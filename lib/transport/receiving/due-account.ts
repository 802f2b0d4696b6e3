import { minuteMs, notBefore, secondMs, shifted } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { Inbounds, type StoredInbound } from '#lib/entities/inbound.ts';
import { setAccountState } from '#lib/messages/accounts/store.ts';
import { toErrorText } from '#lib/messages/jobs/after.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The account of a person that is to be asked now, by whoever has it in hand. */
export interface Due {
  account: StoredAccount;
  inbound: StoredInbound;
}

/** After a failed poll, doubling. */
const rest = { firstMs: 5 * secondMs, longestMs: 5 * minuteMs };

/** Changes how the account hears, unless it has another login or way by now. Returns whether it did. */
export const keep = (
  tenant: Tenant,
  { account: { id, secret } }: Due,
  change: (inbound: StoredInbound, now: string, account: StoredAccount, tx: UnitOfWork) => StoredInbound,
): Promise<boolean> =>
  transact(tenant, system, async (tx) => {
    const [inbound, account] = [await tx.find(Inbounds, { id }), await tx.get(Accounts, { id })];
    if (inbound?.mode !== 'polling' || account.secret !== secret) return false;
    tx.update(Inbounds, change(inbound, tx.now, account, tx));
    return true;
  });

/** Somebody may have asked for an earlier look meanwhile. */
const lookAgain = ({ inbound: seen }: Due, { dueAt }: StoredInbound, next: string) =>
  dueAt === seen.dueAt ? next : dueAt;

/** The account hears, up to what `reached` says, and is asked again in so many seconds. Returns as `keep`. */
export const keepHearing = (
  tenant: Tenant,
  due: Due,
  reached: Partial<StoredInbound>,
  againInSeconds: number,
): Promise<boolean> =>
  keep(tenant, due, (inbound, now) => ({
    ...inbound,
    status: 'ok',
    // Missing messages are reported until somebody has seen it.
    lastError: inbound.status === 'failing' ? null : inbound.lastError,
    ...reached,
    failures: 0,
    dueAt: lookAgain(due, inbound, shifted(now, againInSeconds * secondMs)),
  }));

/**
 * The account does not hear, and why; one whose login has ended is disconnected. It is asked again when its platform says so, or after
 * 5 s, doubling to 5 min. `lost` says what has ended, `reached` what was received all the same.
 */
export async function fail(
  tenant: Tenant,
  due: Due,
  outcome: Outcome,
  { lost, reached = {} }: { lost: string; reached?: Partial<StoredInbound> },
): Promise<void> {
  await keep(tenant, due, (inbound, _, account, tx) => {
    const restMs = Math.min(rest.longestMs, rest.firstMs * 2 ** Math.min(inbound.failures, 10));
    const isLost = outcome.kind === 'lost';
    if (isLost) setAccountState(tx, account, outcome.state);
    const waitMs = outcome.kind === 'wait' ? Math.max(restMs, outcome.waitSeconds * secondMs) : restMs;
    return {
      ...inbound,
      ...reached,
      status: 'failing',
      lastError: toErrorText(errorOf(outcome, lost)),
      failures: inbound.failures + 1,
      dueAt: isLost ? null : lookAgain(due, inbound, notBefore(waitMs)),
    };
  });
}

function errorOf(outcome: Outcome, lost: string): string {
  if ('error' in outcome) return outcome.error;
  return outcome.kind === 'lost' ? lost : 'the platform wants this account to wait';
}
