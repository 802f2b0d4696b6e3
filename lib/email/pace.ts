import { setTimeout as sleep } from 'node:timers/promises';
import { secondMs } from '#lib/clock.ts';
import { env } from '#lib/env.ts';

/**
 * So many processes send mail side by side: the fewest that an event source can be limited to, so that a batch of the slowest pace
 * ends within the time-out. Five mails at once each, they are through with about 30 a second.
 */
export const maxSenders = 2;

let freeAt = 0;

/** Waits until this process may send another mail: it takes its share of what SES accepts from all of them. */
export async function turn(): Promise<void> {
  const now = Date.now();
  const at = Math.max(now, freeAt);
  freeAt = at + (maxSenders * secondMs) / env('EMAILS_PER_SECOND');
  if (at > now) await sleep(at - now);
}
