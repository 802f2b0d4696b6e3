import type { DynamoDBStreamEvent } from 'aws-lambda';
import * as v from 'valibot';
import { OutboxRow, outboxPrefix } from '#lib/events/outbox.ts';
import { publish } from '#lib/events/publish.ts';
import { insertedItems, insertedUnder } from '#lib/table/stream.ts';
import { worker } from '#lib/worker.ts';

/** Numbers the events of committed changes, writes the feed and makes the deliveries. */
export const handler = worker(
  {
    summary: 'Outbox rows become the event feed, the audit trail and deliveries',
    trigger: { stream: 'table', batchSize: 100, filters: [insertedUnder(outboxPrefix)] },
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  async (event: DynamoDBStreamEvent) => {
    await publish(insertedItems(event).map((row) => v.parse(OutboxRow, row)));
    return { batchItemFailures: [] };
  },
);
