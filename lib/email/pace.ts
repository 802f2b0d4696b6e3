import { now, secondMs, sleep } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { mailTimeoutSeconds } from '#lib/core/timeouts.ts';

/**
 * Number of processes that send mail at once: the minimum for an event source, so that a batch at the slowest pace ends within the
 * timeout. Each sends five mails at once, so together they send about 30 a second.
 */
export const maxSenders = 2;

/** Time after which waiting ends: the rest of an invocation suffices to send the mail and write its result. */
const giveUpMs = (mailTimeoutSeconds - 15) * secondMs;
/** Limit for the wait of a tenant that already has a turn ahead, so that a turn is left for tenants without one. */
const furtherWaitMs = giveUpMs / 2;

let freeAtMs = 0;
let lastMs = 0;
/** When the last of a tenant's turns is over. */
const takenUntilMs = new Map<string, number>();

/**
 * Waits until this process may send another mail of a tenant, and takes a turn for each of its recipients, which is what SES counts:
 * all processes have their share of what it accepts. Where an invocation cannot wait so long, takes no turn and returns the wait in
 * milliseconds.
 */
export async function takePace(tenant: Tenant, recipients: number): Promise<number> {
  const nowMs = now();
  // A clock that was set back would have all wait until it is where it was.
  if (nowMs < lastMs) {
    freeAtMs = nowMs;
    takenUntilMs.clear();
  }
  lastMs = nowMs;
  for (const [key, untilMs] of takenUntilMs) if (untilMs <= nowMs) takenUntilMs.delete(key);
  const key = tenantKey(tenant);
  const waitMs = Math.max(0, freeAtMs - nowMs);
  if (waitMs > (takenUntilMs.has(key) ? furtherWaitMs : giveUpMs)) return waitMs;
  freeAtMs = nowMs + waitMs + (recipients * maxSenders * secondMs) / env('EMAILS_PER_SECOND');
  takenUntilMs.set(key, freeAtMs);
  if (waitMs > 0) await sleep(waitMs);
  return 0;
}
