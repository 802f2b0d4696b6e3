import { MetricUnit, measure } from '#lib/metrics.ts';
import type { Lane } from './wake.ts';

/** What a worker did, as operators see it. */
export interface Tally {
  attempts: number;
  successes: number;
  breakerOpenings: number;
  /** From the commit of a change to the 2xx of the endpoint that is told. */
  latenciesMs: number[];
}

export const newTally = (): Tally => ({ attempts: 0, successes: 0, breakerOpenings: 0, latenciesMs: [] });

/** Writes the metrics of one invocation; none when nothing was attempted. */
export function report(lane: Lane, tallies: readonly Tally[]): void {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0);
  const attempts = sum((tally) => tally.attempts);
  if (attempts === 0) return;
  const successes = sum((tally) => tally.successes);
  const latenciesMs = tallies.flatMap((tally) => tally.latenciesMs);
  measure(
    { worker: 'deliver', lane },
    {
      deliveryAttempts: { unit: MetricUnit.Count, value: attempts },
      deliverySuccesses: { unit: MetricUnit.Count, value: successes },
      deliveryFailures: { unit: MetricUnit.Count, value: attempts - successes },
      breakerOpenings: { unit: MetricUnit.Count, value: sum((tally) => tally.breakerOpenings) },
      ...(latenciesMs.length > 0 && { deliveryLatency: { unit: MetricUnit.Milliseconds, value: latenciesMs } }),
    },
  );
}
