import { measure } from '#lib/core/metrics.ts';
import type { Lane } from '#lib/entities/webhook-dispatch.ts';

/** Counts of a worker, as operators see them. */
export interface DeliveryMetrics {
  attempts: number;
  successes: number;
  breakerOpenings: number;
  /** From the commit of a change to the 2xx of the endpoint. */
  latenciesMs: number[];
}

export const newDeliveryMetrics = (): DeliveryMetrics => ({
  attempts: 0,
  successes: 0,
  breakerOpenings: 0,
  latenciesMs: [],
});

/** Returns the dimensions of a lane's metrics. */
export const dimensionsOf = (lane: Lane) => ({ worker: 'deliver', lane });

/** Writes the metrics of one invocation; none when nothing was attempted. */
export function report(lane: Lane, metrics: readonly DeliveryMetrics[]): void {
  const sum = (of: (metrics: DeliveryMetrics) => number) => metrics.reduce((total, metrics) => total + of(metrics), 0);
  const attempts = sum((metrics) => metrics.attempts);
  if (attempts === 0) return;
  const successes = sum((metrics) => metrics.successes);
  const latenciesMs = metrics.flatMap((metrics) => metrics.latenciesMs);
  measure(dimensionsOf(lane), {
    deliveryAttempts: attempts,
    deliverySuccesses: successes,
    deliveryFailures: attempts - successes,
    breakerOpenings: sum((metrics) => metrics.breakerOpenings),
    deliveryLatency: latenciesMs.length > 0 ? latenciesMs : undefined,
  });
}
