import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { secondMs } from '#lib/clock.ts';
import { log } from '#lib/log.ts';
import { parseTenantKey } from '#lib/tenant.ts';
import { drain } from './drain.ts';
import { report } from './tally.ts';
import type { Lane } from './wake.ts';

const Signal = v.object({ tenant: v.string(), endpointId: v.number() });

/** New attempts are begun for so long; the worker's time-out leaves room for the last ones to end. */
const budgetMs = 18 * secondMs;

/** Delivers for all endpoints that a batch names, side by side. Only a fault of ours sends a message back. */
export async function handleSignals(event: SQSEvent, lane: Lane): Promise<SQSBatchResponse> {
  const deadlineMs = Date.now() + budgetMs;
  const signals = event.Records.map(({ messageId, body }) => ({
    messageId,
    ...v.parse(Signal, JSON.parse(body)),
  }));
  const byEndpoint = [...Map.groupBy(signals, ({ tenant, endpointId }) => `${tenant}/${endpointId}`).values()];
  const outcomes = await Promise.allSettled(
    byEndpoint.map(([signal]) => {
      const { tenant, endpointId } = signal as (typeof signals)[number];
      return drain(parseTenantKey(tenant), endpointId, lane, deadlineMs);
    }),
  );
  report(
    lane,
    outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
  );
  const batchItemFailures = outcomes.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return [];
    log().error('the deliveries of an endpoint were interrupted', outcome.reason as Error);
    return (byEndpoint[index] ?? []).map(({ messageId }) => ({ itemIdentifier: messageId }));
  });
  return { batchItemFailures };
}
