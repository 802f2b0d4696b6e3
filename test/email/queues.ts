import type { SQSEvent } from 'aws-lambda';
import { handler as receive } from '#functions/workers/receive-mail.ts';
import { handler as route } from '#functions/workers/route-mail.ts';
import { startMappings } from '#infra/local/mappings.ts';
import { startSqs } from '#infra/local/sqs.ts';
import { queueUrlVariable } from '#lib/env.ts';
import type { QueueName } from '#lib/queues.ts';
import type { Worker, WorkerSettings } from '#lib/worker.ts';
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

  /** Runs a function on what its queue hands out, as its declaration says, until the function that it returns is called. */
  function start(handler: Worker<SQSEvent>): () => Promise<void> {
    const { worker } = handler;
    const { batchSize, maxConcurrency } = worker.trigger as { batchSize: number; maxConcurrency: number };
    const queueArn = `arn:aws:sqs:${home.region}:${home.accountId}:${queueOf(worker)}`;
    const common = { id: queueArn, functionName: 'worker', windowSeconds: 0, filters: [], reportsItemFailures: true };
    return startMappings({
      ...home,
      sqs,
      sendToQueue: sqs.send,
      deployment: {
        queueMappings: [{ ...common, queueArn, batchSize, maxConcurrency }],
        streamMappings: [],
        rules: [],
      },
      invoke: async (_, event) => ({ payload: JSON.stringify(await handler(JSON.parse(event))) }),
      streamOf: () => {
        throw new Error('no stream here');
      },
      checkpoints: '',
    });
  }

  return {
    ...queues,
    startRouting: () => start(route),
    startReceiving: () => start(receive),
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
