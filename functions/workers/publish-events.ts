import type { DynamoDBStreamEvent } from 'aws-lambda';
import { publish } from '#lib/publishing/publish.ts';
import { outboxPrefix } from '#lib/table/outbox.ts';
import { handleInserted, insertedUnder } from '#lib/table/stream.ts';
import { worker } from '#lib/worker.ts';

/** Numbers the events of committed changes, writes the feed and makes the deliveries. */
export const handler = worker(
  {
    summary: 'Outbox rows become the event feed, the audit trail and deliveries',
    trigger: { stream: 'table', batchSize: 100, filters: [insertedUnder(outboxPrefix)] },
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  (event: DynamoDBStreamEvent) => handleInserted(event, publish),
);
