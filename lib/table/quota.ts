import { hourMs, nextDay, shifted } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { Problem } from '#lib/core/problem.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { dailyQuotaReason, dayOf, keyOf, today, tryAdd, usedIn, usedUp } from '#lib/table/daily.ts';
import { readRow } from '#lib/table/rows.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/**
 * Daily limits of a workspace in each of its environments, per UTC day (contract, revision 1.3), with the settings that
 * change them.
 */
const quotas = {
  emails: { setting: 'QUOTA_EMAILS_PER_DAY', unit: 'recipients of e-mails' },
  agentTokens: { setting: 'QUOTA_AGENT_TOKENS_PER_DAY', unit: 'tokens of language models' },
  deliveries: { setting: 'QUOTA_DELIVERIES_PER_DAY', unit: 'attempts of webhook deliveries' },
  /** Limits skipped deliveries, which are stored and cost as much. Only floods reach it. */
  skippedDeliveries: { perDay: 500_000 },
  /** Files that strangers send, by mail or to an account, are kept for good. */
  received: { perDay: 20 * 2 ** 30 },
  /** One contact, or one proven address of a stranger, leaves room for the others. */
  receivedFrom: { perDay: 2 * 2 ** 30 },
  /** Each is looked up, and costs as 25 when it is booked. */
  feedRows: { perDay: 10_000_000 },
  /** Each sends a code to a phone that may be anybody's. */
  logins: { perDay: 20, unit: 'logins of Telegram users' },
} as const;
type Quota = keyof typeof quotas;
/** One that refuses calls, which says what of. */
type Refusing = { [Name in Quota]: (typeof quotas)[Name] extends { unit: string } ? Name : never }[Quota];
/** Name of a counter: one of the tenant, or one for each sender that a quota counts. */
export type Counted = Exclude<Quota, 'receivedFrom'> | `receivedFrom/${string}`;

/** So much of a quota, of the day it was taken from. */
export interface Grant {
  day: string;
  amount: number;
}

/**
 * Spends so much of a day's quota for what a unit of work does at a time (null: now), and gives it back should nothing be written.
 * Ahead of the commit, because transactions that share the day's counter would overtake one another. Undefined when it costs
 * nothing. Raises 429 with reason `daily_quota` when less is left.
 */
export async function spend(
  tx: UnitOfWork,
  quota: Refusing,
  amount: number,
  at?: string | null,
  tenant: Tenant = tx.tenant,
): Promise<Grant | undefined> {
  const max = limitOf(quota);
  if (max === 0 || amount === 0) return undefined;
  const day = dayOf(at && at > tx.now ? at : tx.now);
  if (amount > max) throw dailyQuota(quota, day);
  const spending = tryAdd(tenant, quota, day, amount, max - amount);
  tx.otherwise(async () => {
    if ((await spending) === undefined) await settle(tenant, quota, { day, amount }, 0);
  });
  if ((await spending) !== undefined) throw dailyQuota(quota, day);
  return { day, amount };
}

/**
 * Gives back what was spent for what will not happen, at most once: after the commit that says so. What a crash keeps back then, or
 * what an earlier day has paid, is lost.
 */
export function giveBack(tx: UnitOfWork, quota: Counted, grant: Grant): void {
  if (grant.day >= dayOf(tx.now)) tx.afterwards(() => settle(tx.tenant, quota, grant, 0));
}

/** Takes up to so much of today's quota at once, outside of a unit of work: the amount is what there was, 0 when nothing is left. */
export async function take(tenant: Tenant, quota: Counted, wanted: number): Promise<Grant> {
  const day = today();
  const max = limitOf(quota);
  if (max === 0) return { day, amount: wanted };
  for (let amount = Math.min(wanted, max); amount > 0; ) {
    const used = await tryAdd(tenant, quota, day, amount, max - amount);
    if (used === undefined) return { day, amount };
    amount = Math.min(wanted, max - used);
  }
  return { day, amount: 0 };
}

/** Takes so much of today's quota at once, or nothing of it: whether as much was left. */
export async function takeAll(tenant: Tenant, quota: Counted, amount: number): Promise<boolean> {
  const max = limitOf(quota);
  if (max === 0) return true;
  return amount <= max && (await tryAdd(tenant, quota, today(), amount, max - amount)) === undefined;
}

/**
 * The grant made up to so much of today's quota, or to what there was. Of an earlier day's grant nothing is kept: it was that
 * day's quota.
 */
export async function topUp(tenant: Tenant, quota: Counted, { day, amount }: Grant, wanted: number): Promise<Grant> {
  const kept = day === today() ? amount : 0;
  const more = await take(tenant, quota, wanted - kept);
  if (kept === 0) return more;
  return more.day === day ? { day, amount: kept + more.amount } : topUp(tenant, quota, more, wanted);
}

/**
 * Reserves an estimate while anything is left, so that calls side by side do not pass far beyond the quota; `settle` corrects it.
 * Raises 429 with reason `daily_quota`.
 */
export async function reserve(tenant: Tenant, quota: Refusing, estimate: number): Promise<Grant> {
  const day = today();
  const max = limitOf(quota);
  const used = max === 0 ? undefined : await tryAdd(tenant, quota, day, estimate, max - 1);
  if (used !== undefined) throw dailyQuota(quota, day);
  return { day, amount: estimate };
}

/** Makes what was taken what was used. */
export async function settle(tenant: Tenant, quota: Counted, { day, amount }: Grant, used: number): Promise<void> {
  if (limitOf(quota) === 0 || used === amount) return;
  await tryAdd(tenant, quota, day, used - amount, Number.MAX_SAFE_INTEGER);
}

/** How much of today's quota is left; infinite when there is none. */
export async function remaining(tenant: Tenant, quota: Counted): Promise<number> {
  const max = limitOf(quota);
  if (max === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, max - usedIn(await readRow(keyOf(tenant, quota, today()))));
}

/** So long after midnight the first of what has waited for a new day is due at the latest. */
const spreadMs = hourMs;

/** When that which waits for a new day is due. */
export const nextDayAt = (): string => shifted(nextDay(), Math.random() * spreadMs);

const dailyQuota = (quota: Refusing, day: string): Problem => usedUp(`${limitOf(quota)} ${quotas[quota].unit}`, day);

/** Whether it was a quota that refused. */
export const isDailyQuota = (error: unknown): error is Problem =>
  error instanceof Problem && error.details?.['reason'] === dailyQuotaReason;

function limitOf(quota: Counted): number {
  const of = quotas[quota.split('/')[0] as Quota];
  return 'setting' in of ? env(of.setting) : of.perDay;
}
