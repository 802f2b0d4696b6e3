import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { expect } from 'vitest';
import { handler as receive } from '#functions/workers/receive-mail.ts';
import { handler as route } from '#functions/workers/route-mail.ts';
import { startSqs } from '#infra/local/sqs.ts';
import { queueUrlVariable } from '#lib/core/env.ts';
import type { QueueName } from '#lib/core/queues.ts';
import type { Worker, WorkerSettings } from '#lib/queues/worker.ts';
import { redirect } from '#test/endpoints.ts';

const home = { accountId: '111111111111', region: 'us-east-1' };
const queueOf = ({ trigger }: WorkerSettings) => (trigger as { queue: QueueName }).queue;

/** The queues of incoming mail with their functions in this process, until they are closed. */
export async function mailQueues() {
  const accessKeyId = String(process.env['AWS_ACCESS_KEY_ID']);
  const sqs = await startSqs({ host: '127.0.0.1', port: 0, accessKeyId, ...home });
  const create = (name: QueueName) => {
    const queue = sqs.createQueue(name);
    process.env[queueUrlVariable(name)] = queue.url;
    return queue;
  };
  const queues = { routed: create(queueOf(route.worker)), stored: create(queueOf(receive.worker)) };
  const restore = redirect('SQS', sqs.url);

  /**
   * Runs a function on what its queue hands out, as many at once as its declaration says, until the queue has nothing for it or there is
   * enough.
   */
  async function run(
    handler: Worker<SQSEvent, SQSBatchResponse>,
    queue: (typeof queues)[keyof typeof queues],
    isEnough: () => Promise<boolean> = async () => false,
  ): Promise<void> {
    const { batchSize, maxConcurrency } = handler.worker.trigger as { batchSize: number; maxConcurrency: number };
    const strand = async () => {
      while (!(await isEnough())) {
        const records = await queue.receiveRecords({ maxMessages: batchSize, waitSeconds: 0 });
        if (records.length === 0) return;
        const { batchItemFailures } = await handler({ Records: records });
        expect(batchItemFailures).toEqual([]);
        for (const { receiptHandle } of records) queue.delete(receiptHandle);
      }
    };
    await Promise.all(Array.from({ length: maxConcurrency }, strand));
  }

  return {
    ...queues,
    /** Puts every mail that has arrived in line. */
    route: () => run(route, queues.routed),
    /** Stores the mails in line until there is enough. */
    receive: (isEnough?: () => Promise<boolean>) => run(receive, queues.stored, isEnough),
    /** Handles what SES notifies to its end. Returns what the two functions answered, the first one first. */
    async handle(event: SQSEvent) {
      const answers = [await route(event)];
      for (;;) {
        const [record] = await queues.stored.receiveRecords({ waitSeconds: 0 });
        if (record === undefined) return answers;
        answers.push(await receive({ Records: [record] }));
        queues.stored.delete(record.receiptHandle);
      }
    },
    close() {
      restore();
      return sqs.close();
    },
  };
}
