import { now, secondMs } from '#lib/core/clock.ts';
import { id } from '#lib/core/schema.ts';
import { deliverTimeoutSeconds } from '#lib/core/timeouts.ts';
import type { Lane } from '#lib/entities/webhook-dispatch.ts';
import { type Message, receiveGroups } from '#lib/queues/receive.ts';
import { type DeliveryMetrics, report } from './delivery-metrics.ts';
import { drain } from './drain.ts';

/** New attempts are begun for so long; then there is room for the last ones to end. */
const budgetMs = (deliverTimeoutSeconds - 12) * secondMs;

/** Delivers for all endpoints that a batch names, side by side. Returns those that failed through a fault of ours. */
export async function handleSignals(messages: readonly Message[], lane: Lane): Promise<Message[]> {
  const deadlineMs = now() + budgetMs;
  const metrics: DeliveryMetrics[] = [];
  const failed = await receiveGroups(
    messages,
    { endpointId: id() },
    ({ endpointId }) => endpointId,
    async ([{ tenant, endpointId }]) => {
      metrics.push(await drain(tenant, endpointId, lane, deadlineMs));
      return [];
    },
  );
  report(lane, metrics);
  return failed;
}
