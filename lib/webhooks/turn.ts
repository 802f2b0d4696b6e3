import { now } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { type Dispatch, type Lane, laneOf } from '#lib/entities/webhook-dispatch.ts';
import type { Health } from '#lib/entities/webhook-health.ts';
import { isSlow } from './health.ts';

/** A worker's turn at an endpoint, for which it holds the lease. */
export interface Turn {
  readonly tenant: Tenant;
  readonly endpointId: number;
  readonly owner: string;
  readonly lane: Lane;
  readonly deadlineMs: number;
  /** As it was when the turn began. */
  readonly dispatch: Dispatch;
}

/** Whether the endpoint belongs in the slow lane by now. */
export const isSlowBy = ({ dispatch }: Turn, health: Health): boolean => isSlow(health, dispatch.isSlow);

/** What is left is for the next process: the time is up, or the endpoint has changed lanes. */
export const isOver = (turn: Turn, health: Health): boolean =>
  now() >= turn.deadlineMs || laneOf({ ...turn.dispatch, isSlow: isSlowBy(turn, health) }) !== turn.lane;
