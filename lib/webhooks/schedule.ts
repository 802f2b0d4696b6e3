import { hourMs, minuteMs, now, secondMs } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';

/** Waits after the first to the ninth failed attempt (contract section 14): 75 h 35 min in all. */
export const retryWaitsMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];
export const maxAttempts = retryWaitsMs.length + 1;

const busyStatuses = [429, 502, 504];
const minBusyWaitMs = minuteMs;
const retryAfterCapMs = hourMs;
const maxJitter = 0.2;

export interface Failed {
  /** How many attempts there were, this one included. */
  attempts: number;
  status: number | null;
  isTimeout: boolean;
  retryAfter: string | undefined;
}

/** Returns how long to wait after a failed attempt, or null after the last. Never shorter than the schedule. */
export function retryWaitMs(
  { attempts, status, isTimeout, retryAfter }: Failed,
  { now: nowMs = now(), random = Math.random(), scale = env('WEBHOOK_RETRY_SCALE') } = {},
): number | null {
  const scheduled = retryWaitsMs[attempts - 1];
  if (scheduled === undefined) return null;
  const isBusy = isTimeout || (status !== null && busyStatuses.includes(status));
  const base = isBusy ? Math.max(scheduled, minBusyWaitMs) : scheduled;
  const asked = retryAfterMs(retryAfter, nowMs) ?? 0;
  const wait = Math.max(base, Math.min(asked, Math.max(2 * base, retryAfterCapMs)));
  return Math.ceil(wait * (1 + maxJitter * random) * scale);
}

const httpDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d{2}:\d{2}:\d{2}/;

/** Parses `Retry-After` in seconds or as an HTTP date; undefined for anything else. */
function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * secondMs;
  if (!httpDate.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
