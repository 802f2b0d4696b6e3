import { dayMs, hourMs, minuteMs, now, secondMs, timestamp } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import type { Health } from '#lib/entities/webhook-health.ts';
import { leases } from '#lib/table/lease.ts';
import { withHour } from './hours.ts';

/** A worker that dies holds an endpoint for so long; a living one renews in time. */
export const leaseMs = 10 * secondMs;
/** The worker of an endpoint holds this lease. */
export const endpointLeases = leases({
  owner: 'owner',
  until: 'leaseUntilMs',
  at: (epochMs) => epochMs,
  longestMs: 2 * leaseMs,
});

export const newHealth = (endpointId: number): Health => ({
  id: endpointId,
  consecutiveFailures: 0,
  failingSince: null,
  lastDeliveryAt: null,
  lastSuccessAt: null,
  averageMs: 0,
  hours: [],
  openings: 0,
  openUntilMs: 0,
  resumedAt: null,
  owner: null,
  leaseUntilMs: 0,
  begun: [],
  finished: 0,
});

/** Returns the health without failures, as after a success. */
export const withoutFailures = (health: Health): Health => ({
  ...health,
  consecutiveFailures: 0,
  failingSince: null,
  openings: 0,
  openUntilMs: 0,
});

/** Returns until when nothing is sent because of failures; null where it is sent. */
export const pausedUntil = ({ openUntilMs }: Health) => (openUntilMs > now() ? timestamp(new Date(openUntilMs)) : null);

const degradedFrom = 5;

/** Returns the status of an endpoint as the API shows it. */
export const statusOf = (isActive: boolean, { consecutiveFailures }: Health) =>
  !isActive ? 'disabled' : consecutiveFailures >= degradedFrom ? 'degraded' : 'healthy';

const averageWeight = 0.2;

/** Returns the health after one more attempt. */
export function afterAttempt(health: Health, isSuccess: boolean, durationMs: number, at: Date): Health {
  const finishedAt = timestamp(at);
  const averageMs =
    health.averageMs === 0 ? durationMs : health.averageMs + averageWeight * (durationMs - health.averageMs);
  const hours = withHour(health.hours, isSuccess ? durationMs : undefined, at.getTime());
  const attempted = { ...health, averageMs, hours, lastDeliveryAt: finishedAt };
  if (isSuccess) return { ...withoutFailures(attempted), lastSuccessAt: finishedAt };
  return {
    ...attempted,
    consecutiveFailures: health.consecutiveFailures + 1,
    failingSince: health.failingSince ?? finishedAt,
  };
}

const breakerFrom = 10;
const maxOpenMs = 10 * minuteMs;
const firstOpenMs = 30 * secondMs;

/**
 * Opens the breaker when ten attempts in a row have failed: nothing is sent until it closes, and no delivery loses an
 * attempt meanwhile. Then one attempt at a time is made; each failure opens it for twice as long.
 */
export function withBreaker(health: Health, nowMs: number, scale = env('WEBHOOK_RETRY_SCALE')): Health {
  if (health.consecutiveFailures < breakerFrom || health.openUntilMs > nowMs) return health;
  const openMs = Math.min(maxOpenMs, firstOpenMs * 2 ** health.openings) * scale;
  return { ...health, openings: health.openings + 1, openUntilMs: nowMs + Math.ceil(openMs) };
}

const failingDays = 5;
const minFailures = 10;
const minSpanMs = 12 * hourMs;

/** Returns whether an endpoint has failed for so long that it is disabled (contract section 14). */
export function isGivenUp({ consecutiveFailures, failingSince }: Health, nowMs: number): boolean {
  if (failingSince === null || consecutiveFailures < minFailures) return false;
  const failingMs = nowMs - new Date(failingSince).getTime();
  return failingMs >= minSpanMs && failingMs >= failingDays * dayMs;
}

const slowFromMs = 1_000;
const fastBelowMs = 500;

/** Returns whether an endpoint belongs in the slow lane, where it delays no quick one. */
export const isSlow = ({ averageMs }: Health, wasSlow: boolean) => averageMs > (wasSlow ? fastBelowMs : slowFromMs);
