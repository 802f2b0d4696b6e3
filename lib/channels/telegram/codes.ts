import { dayMs, epochSeconds, minuteMs, now, secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { digestOf } from '#lib/core/mail-address.ts';
import { Problem, rateLimited } from '#lib/core/problem.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { digitsOf } from '#lib/entities/login.ts';
import { rowKey } from '#lib/table/keys.ts';
import { leases } from '#lib/table/lease.ts';
import { isDailyQuota, reserve, settle } from '#lib/table/quota.ts';
import { writeIf } from '#lib/table/write.ts';

/** So long after a code a phone is sent no other. */
const restMs = minuteMs;

const rests = leases({ owner: 'login', until: 'untilMs', at: (epochMs) => epochMs });

/**
 * Has a code sent to a phone, which may be anybody's: once a minute to the same one, and as often in a day as the quota allows. What
 * Telegram refuses counts as well, a 503 does not. Raises 429 with reason `code_sent_lately` or `daily_quota`.
 */
export async function sendingCode<Sent>(tenant: Tenant, phone: string, send: () => Promise<Sent>): Promise<Sent> {
  const undo = [await rest(tenant, phone)];
  try {
    const grant = await reserve(tenant, 'logins', 1);
    undo.push(() => settle(tenant, 'logins', grant, 0));
    return await send();
  } catch (error) {
    const isUncounted = error instanceof Problem && (error.status === 503 || isDailyQuota(error));
    if (isUncounted)
      await Promise.all(undo.map((step) => step())).catch((fault: unknown) =>
        log().warn('a code that was not sent stays counted', { error: fault }),
      );
    throw error;
  }
}

/** Lets a phone rest, of which only the digest is kept. Returns what undoes that. */
async function rest(tenant: Tenant, phone: string): Promise<() => Promise<void>> {
  const key = rowKey('codePhone', { tenant: tenantKey(tenant), digest: digestOf(digitsOf(phone)) });
  const nowMs = now();
  const expiresAtSeconds = epochSeconds(new Date(nowMs + dayMs));
  const { item, refused } = await rests.acquire(nowMs + restMs, (holder) => ({
    key,
    item: { ...holder, expiresAtSeconds },
    if: rests.whereFree(nowMs),
  }));
  if (!item) {
    const leftMs = Number(refused?.['untilMs'] ?? nowMs) - nowMs;
    const message = 'a code was sent to this phone less than a minute ago: use that code, or wait for Retry-After';
    throw rateLimited(message, Math.max(1, Math.ceil(leftMs / secondMs)), 'code_sent_lately');
  }
  return async () => {
    await writeIf({ key, item: null, if: { is: { login: item['login'] } } });
  };
}
