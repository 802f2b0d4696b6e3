import type { DynamoDBStreamEvent } from 'aws-lambda';
import { queues } from '#lib/queues.ts';
import { duePrefix } from '#lib/table/entity.ts';
import { handleInserted, insertedUnder } from '#lib/table/stream.ts';
import { dispatch } from '#lib/timers/dispatch.ts';
import { worker } from '#lib/worker.ts';

/** Every row that waits for a time has its queue told then. */
export const handler = worker(
  {
    summary: 'Waiting rows are put on their queue, or on a schedule when their time is far',
    trigger: { stream: 'table', batchSize: 100, filters: [insertedUnder(duePrefix)] },
    needs: ['schedule', ...queues.map((queue) => `send:${queue}` as const)],
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  (event: DynamoDBStreamEvent) => handleInserted(event, dispatch),
);
