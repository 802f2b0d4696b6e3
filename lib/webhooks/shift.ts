import { now } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { type Dispatch, type Lane, laneOf } from '#lib/entities/webhook-dispatch.ts';
import type { Health } from '#lib/entities/webhook-health.ts';
import { isSlow } from './health.ts';

/** A worker's turn at an endpoint, for which it holds the lease. */
export interface Shift {
  readonly tenant: Tenant;
  readonly endpointId: number;
  readonly owner: string;
  readonly lane: Lane;
  readonly deadlineMs: number;
  /** As it was when the turn began. */
  readonly dispatch: Dispatch;
}

/** Whether the endpoint belongs in the slow lane by now. */
export const isSlowBy = ({ dispatch }: Shift, health: Health): boolean => isSlow(health, dispatch.isSlow);

/**
 * Returns whether the shift ends and leaves the rest to the next process: the time is up, or the endpoint has changed
 * lanes.
 */
export const isOver = (shift: Shift, health: Health): boolean =>
  now() >= shift.deadlineMs || laneOf({ ...shift.dispatch, isSlow: isSlowBy(shift, health) }) !== shift.lane;
