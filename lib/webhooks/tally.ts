import type { Lane } from '#lib/entities/webhook-wake.ts';
import { measure } from '#lib/metrics.ts';

/** What a worker did, as operators see it. */
export interface Tally {
  attempts: number;
  successes: number;
  breakerOpenings: number;
  /** From the commit of a change to the 2xx of the endpoint that is told. */
  latenciesMs: number[];
}

export const newTally = (): Tally => ({ attempts: 0, successes: 0, breakerOpenings: 0, latenciesMs: [] });

/** Under these the metrics of a lane lie. */
export const dimensionsOf = (lane: Lane) => ({ worker: 'deliver', lane });

/** Writes the metrics of one invocation; none when nothing was attempted. */
export function report(lane: Lane, tallies: readonly Tally[]): void {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
  const attempts = sum((tally) => tally.attempts);
  if (attempts === 0) return;
  const successes = sum((tally) => tally.successes);
  const latenciesMs = tallies.flatMap((tally) => tally.latenciesMs);
  measure(dimensionsOf(lane), {
    deliveryAttempts: attempts,
    deliverySuccesses: successes,
    deliveryFailures: attempts - successes,
    breakerOpenings: sum((tally) => tally.breakerOpenings),
    deliveryLatency: latenciesMs.length > 0 ? latenciesMs : undefined,
  });
}
