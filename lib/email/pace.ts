import { now, secondMs, sleep } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { mailTimeoutSeconds } from '#lib/core/timeouts.ts';

/**
 * So many processes send mail side by side: the fewest that an event source can be limited to, so that a batch of the slowest pace
 * ends within the time-out. Five mails at once each, they are through with about 30 a second.
 */
export const maxSenders = 2;

/** What is left of an invocation then suffices to send the mail and to write that down. */
const giveUpMs = (mailTimeoutSeconds - 15) * secondMs;
/** Who has a turn ahead waits no longer for another one, so that there is always one left for whoever has none. */
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
