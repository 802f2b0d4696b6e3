import { AwsError } from './aws-error.ts';
import type { Guarded } from './guard.ts';
import { sqsActions } from './sqs/actions.ts';
import { queueDoesNotExist } from './sqs/errors.ts';
import type { SendOptions } from './sqs/message.ts';
import type { Queue } from './sqs/queue.ts';
import { type Home, Queues } from './sqs/queues.ts';
import { awsJson, jsonBody, listen, targetAction } from './wire.ts';

export type LocalQueue = Queue;

export interface LocalSqs {
  url: string;
  /** Makes a queue with the attributes of a template, or changes those of the queue of this name. */
  createQueue(name: string, attributes?: Record<string, unknown>): LocalQueue;
  queueByArn(arn: string): LocalQueue | undefined;
  queues(): LocalQueue[];
  /** Throws when there is no such queue. */
  send(queueArn: string, body: string, options?: SendOptions): void;
  close(): Promise<void>;
}

/** Starts SQS in memory: over the wire for the SDK, and in process for what feeds from its queues. */
export async function startSqs({ accountId, region, ...address }: Guarded & Home): Promise<LocalSqs> {
  const queues: Queues = new Queues({ accountId, region }, () => server.url);
  const actions = sqsActions(queues);
  const arnPrefix = `arn:aws:sqs:${region}:${accountId}:`;
  const server = await listen(address, awsJson('1.0', 'com.amazonaws.sqs'), (request) => {
    const name = targetAction(request, 'AmazonSQS');
    const action = actions[name];
    if (!action) throw new AwsError('UnknownOperationException', `The local SQS has no ${name}.`);
    const input = jsonBody(request);
    const { QueueUrl, QueueName = String(QueueUrl).split('/').at(-1), SourceArn } = input;
    // A batch needs the leave of its single action.
    request.note(`sqs:${name.replace(/Batch$/, '')}`, String(SourceArn ?? `${arnPrefix}${QueueName}`));
    return action(input as never);
  });
  return {
    url: server.url,
    createQueue: (name, attributes = {}) => queues.create(name, attributes),
    queueByArn: (arn) => queues.byArn(arn),
    queues: () => queues.all(),
    send: (queueArn, body, options) => {
      const queue = queues.byArn(queueArn);
      if (!queue) throw queueDoesNotExist();
      queue.send(body, options);
    },
    close: () => {
      for (const queue of queues.all()) queue.close();
      return server.close();
    },
  };
}
