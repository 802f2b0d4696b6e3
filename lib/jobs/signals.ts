import type { SQSBatchItemFailure, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import type { AccountPlace } from '#lib/accounts/sender.ts';
import { log } from '#lib/log.ts';
import { parseTenantKey } from '#lib/tenant.ts';
import { drainAccount } from './drain.ts';
import type { OpenSender } from './sender.ts';

/** What a wake-up says: of an account, and of which job if one became due. */
const Signal = v.object({ tenant: v.string(), accountId: v.number(), jobId: v.optional(v.number()) });

/** Handles a batch of wake-ups, account by account side by side. Only faults of ours are reported back to the queue. */
export async function handleSignals(
  { Records }: SQSEvent,
  channel: AccountPlace['channel'],
  open: OpenSender,
): Promise<{ batchItemFailures: SQSBatchItemFailure[] }> {
  const signals = Records.map(({ messageId, body }) => ({ messageId, ...v.parse(Signal, JSON.parse(body)) }));
  const accounts = Map.groupBy(signals, ({ tenant, accountId }) => `${tenant}/${accountId}`);
  const failures = await Promise.all(
    [...accounts.values()].map(async (group) => {
      const { tenant, accountId } = group[0] as (typeof group)[number];
      const jobIds = group.flatMap(({ jobId }) => (jobId === undefined ? [] : [jobId]));
      try {
        await drainAccount({ tenant: parseTenantKey(tenant), channel, accountId }, jobIds, open);
        return [];
      } catch (error) {
        log().error('an account could not be drained', { tenant, accountId, error: error as Error });
        return group.map(({ messageId }) => ({ itemIdentifier: messageId }));
      }
    }),
  );
  return { batchItemFailures: failures.flat() };
}
