import type { SQSBatchItemFailure, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { log } from '#lib/log.ts';
import { parseTenantKey, type Tenant } from '#lib/tenant.ts';

/** Handles a batch of wake-ups side by side. Only faults of ours are reported back to the queue. */
export async function receive<Message extends v.ObjectEntries>(
  { Records }: SQSEvent,
  message: Message,
  work: (tenant: Tenant, message: v.InferOutput<v.ObjectSchema<Message, undefined>>) => Promise<void>,
): Promise<{ batchItemFailures: SQSBatchItemFailure[] }> {
  const handle = async ({ messageId, body }: SQSRecord) => {
    try {
      const signal = JSON.parse(body);
      await work(parseTenantKey(v.parse(v.string(), signal.tenant)), v.parse(v.object(message), signal));
      return [];
    } catch (error) {
      log().error('a wake-up could not be handled', error as Error);
      return [{ itemIdentifier: messageId }];
    }
  };
  return { batchItemFailures: (await Promise.all(Records.map(handle))).flat() };
}
