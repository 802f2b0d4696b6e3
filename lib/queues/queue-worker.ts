import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Message } from '#lib/queues/receive.ts';
import { type TriggeredBy, type Worker, worker } from './worker.ts';

/** A Lambda fed by a queue. The work returns the messages that could not be handled: they go back, the others of the batch do not. */
export const queueWorker = (
  settings: TriggeredBy<'queue'>,
  work: (messages: readonly Message[]) => Promise<readonly Message[]>,
): Worker<SQSEvent, SQSBatchResponse> =>
  worker(settings, async ({ Records }) => {
    const failed = await work(Records.map(({ messageId, body }) => ({ id: messageId, body })));
    return { batchItemFailures: failed.map(({ id }) => ({ itemIdentifier: id })) };
  });
