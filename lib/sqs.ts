import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { log } from './log.ts';

/** Handles the messages of a batch side by side. Those whose handling throws, which is a fault of ours, go back to the queue. */
export async function handleEach<Message extends v.GenericSchema>(
  { Records }: SQSEvent,
  message: Message,
  handle: (message: v.InferOutput<Message>) => Promise<void>,
): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    Records.map(async ({ messageId, body }) => {
      try {
        await handle(v.parse(message, JSON.parse(body)));
        return [];
      } catch (error) {
        log().error('a queue message could not be handled', error as Error);
        return [{ itemIdentifier: messageId }];
      }
    }),
  );
  return { batchItemFailures: failed.flat() };
}
