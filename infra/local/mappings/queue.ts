import type { SQSRecord } from 'aws-lambda';
import { now } from '#lib/core/clock.ts';
import type { Invoke } from '../functions.ts';
import type { LocalQueue } from '../sqs.ts';
import type { QueueMapping } from '../template.ts';
import { failedItems } from './failures.ts';
import { passes } from './filter.ts';
import { batchesOf, payloadOf, type Written } from './payload.ts';

/** As many as Lambda begins with; more would only wait for an instance with their messages in hand. */
const mostPollers = 5;
const longestReceive = 10;

/** Feeds a function from a queue until the signal; resolves when its last batch is done. */
export async function pollQueue(
  mapping: QueueMapping,
  queue: LocalQueue,
  invoke: Invoke,
  signal: AbortSignal,
): Promise<void> {
  const poll = async () => {
    while (!signal.aborted) {
      const records = await nextBatch(mapping, queue, signal);
      const wanted = records.filter((record) => isWanted(mapping, queue, record));
      for (const batch of batchesOf(wanted, mapping.batchSize)) await handle(mapping, queue, invoke, batch);
    }
  };
  await Promise.all(Array.from({ length: Math.min(mapping.maxConcurrency ?? mostPollers, mostPollers) }, poll));
}

async function nextBatch({ batchSize, windowSeconds }: QueueMapping, queue: LocalQueue, signal: AbortSignal) {
  const receive = (wanted: number, waitSeconds: number) =>
    queue.receiveRecords({ maxMessages: Math.min(wanted, longestReceive), waitSeconds, signal });
  const records = await receive(batchSize, 20);
  const closesAt = now() + windowSeconds * 1000;
  while (records.length > 0 && records.length < batchSize && !signal.aborted) {
    const more = await receive(
      batchSize - records.length,
      Math.min(20, Math.max(0, Math.ceil((closesAt - now()) / 1000))),
    );
    records.push(...more);
    if (more.length === 0 && now() >= closesAt) break;
  }
  return records;
}

/** Messages that no filter lets pass are done with. */
function isWanted({ filters }: QueueMapping, queue: LocalQueue, record: SQSRecord): boolean {
  if (filters.length === 0 || passes(filters, { ...record, body: parsed(record.body) })) return true;
  queue.delete(record.receiptHandle);
  return false;
}

async function handle(mapping: QueueMapping, queue: LocalQueue, invoke: Invoke, batch: Written<SQSRecord>[]) {
  const answer = await invoke(mapping.functionName, payloadOf(batch));
  const records = batch.map(({ record }) => record);
  const ids = records.map(({ messageId }) => messageId);
  const failed = failedItems(answer, ids, mapping.reportsItemFailures);
  // Failed messages come back when their visibility timeout ends.
  for (const { messageId, receiptHandle } of records) if (!failed.has(messageId)) queue.delete(receiptHandle);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
