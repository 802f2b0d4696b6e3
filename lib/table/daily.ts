import { epochSeconds, nextDay, now, secondMs, timestamp } from '#lib/core/clock.ts';
import { type Problem, rateLimited } from '#lib/core/problem.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { type Key, rowKey } from './keys.ts';
import type { Row } from './rows.ts';
import { writeIf } from './write.ts';

/** Why a call is refused that would spend more than a day has. */
export const dailyQuotaReason = 'daily_quota';

/** The day whose quotas are spent now. */
export const today = () => dayOf(timestamp());

export const dayOf = (now: string) => now.slice(0, 10);

export const keyOf = (tenant: Tenant, quota: string, day: string): Key =>
  rowKey('quota', { tenant: tenantKey(tenant), day, quota });

/** None is there before anything was used. */
export const usedIn = (row: Row | undefined): number => Number(row?.['used'] ?? 0);

const keptDays = 2;

/** Adds where no more than `most` was used before. Undefined when it was added, else how much was used already. */
export async function tryAdd(
  tenant: Tenant,
  quota: string,
  day: string,
  amount: number,
  most: number,
): Promise<number | undefined> {
  const { item, refused } = await writeIf({
    key: keyOf(tenant, quota, day),
    add: { used: amount },
    set: { expiresAtSeconds: epochSeconds(new Date(`${day}T00:00:00Z`)) + keptDays * 86_400 },
    // A counter that is not there yet holds no number to compare.
    if: { any: [{ absent: ['used'] }, { atMost: { used: most } }] },
  });
  return item ? undefined : usedIn(refused);
}

/** The 429 of a day's quota that is used up: so much of what it is of. */
export function usedUp(what: string, day: string): Problem {
  const retryAfterSeconds = Math.max(1, Math.ceil((Date.parse(nextDay(new Date(day))) - now()) / secondMs));
  const when = day === today() ? 'today' : day;
  return rateLimited(
    `the ${what} of ${when} are used up: wait until midnight UTC, or ask the operator for more`,
    retryAfterSeconds,
    dailyQuotaReason,
  );
}
