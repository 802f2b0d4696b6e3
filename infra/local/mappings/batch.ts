import { randomUUID } from 'node:crypto';
import { now, sleep } from '#lib/core/clock.ts';
import type { StreamRecord } from '../engine/stream-client.ts';
import type { Invoke } from '../functions.ts';
import type { StreamMapping } from '../template.ts';
import { failedItems } from './failures.ts';
import { payloadOf, type Written } from './payload.ts';

export interface Batch {
  records: Written<StreamRecord>[];
  shardId: string;
  streamArn: string;
}

/** Puts on a queue what a function has failed with again and again. */
export type SendToQueue = (queueArn: string, body: string) => void;

interface Delivery {
  mapping: StreamMapping;
  invoke: Invoke;
  sendToQueue: SendToQueue;
  signal: AbortSignal;
}

const firstRetryMs = 200;
const longestRetryMs = 30_000;

/**
 * Invokes with the records until all are handled or given up: again from the first that failed, halved after an error when
 * the mapping bisects, with growing pauses, and to the failure destination when the retries are used up.
 */
export async function deliver(batch: Batch, delivery: Delivery): Promise<void> {
  const { mapping, signal } = delivery;
  let rest = batch.records;
  let size = rest.length;
  let retries = 0;
  while (rest.length > 0 && !signal.aborted) {
    const attempted = rest.slice(0, size);
    const handled = await attempt(attempted, delivery);
    rest = rest.slice(handled);
    if (handled === attempted.length) {
      size = rest.length;
      retries = 0;
    } else if (handled > 0) {
      size = attempted.length - handled;
      retries = 0;
    } else if (mapping.bisects && attempted.length > 1) {
      size = Math.ceil(attempted.length / 2);
    } else if (retries >= mapping.maxRetries || isTooOld(attempted[0]?.record, mapping)) {
      giveUp({ ...batch, records: attempted }, retries + 1, delivery);
      rest = rest.slice(attempted.length);
      size = rest.length;
      retries = 0;
    } else {
      await sleep(Math.min(longestRetryMs, firstRetryMs * 2 ** retries), signal).catch(() => {});
      retries += 1;
    }
  }
}

/** Returns how many of the records, from the first, are done. */
async function attempt(records: readonly Written<StreamRecord>[], { mapping, invoke }: Delivery): Promise<number> {
  const answer = await invoke(mapping.functionName, payloadOf(records));
  const ids = records.map(({ record }) => record.dynamodb.SequenceNumber);
  const failed = failedItems(answer, ids, mapping.reportsItemFailures);
  const first = ids.findIndex((id) => failed.has(id));
  return first === -1 ? records.length : first;
}

const isTooOld = (record: StreamRecord | undefined, { maxAgeSeconds }: StreamMapping) =>
  now() / 1000 - (record?.dynamodb.ApproximateCreationDateTime ?? 0) > maxAgeSeconds;

/** Tells the failure destination, as Lambda does, where in the stream the records are that it gave up. */
function giveUp({ records, shardId, streamArn }: Batch, invocations: number, { mapping, sendToQueue }: Delivery): void {
  if (!mapping.onFailureQueueArn) return;
  const [first, last] = [records[0]?.record, records.at(-1)?.record];
  const arrival = (record: StreamRecord | undefined) =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1000).toISOString();
  const message = {
    requestContext: {
      requestId: randomUUID(),
      functionArn: mapping.functionName,
      condition: 'RetryAttemptsExhausted',
      approximateInvokeCount: invocations,
    },
    responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
    version: '1.0',
    timestamp: new Date(now()).toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.dynamodb.SequenceNumber,
      endSequenceNumber: last?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(first),
      approximateArrivalOfLastRecord: arrival(last),
      batchSize: records.length,
      streamArn,
    },
  };
  sendToQueue(mapping.onFailureQueueArn, JSON.stringify(message));
}
