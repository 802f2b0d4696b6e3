import {
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { queueUrl } from '#lib/core/env.ts';
import { queues } from '#lib/core/queues.ts';

const Redrive = v.object({ queue: v.picklist(queues) });

/** Puts the dead letters of a queue back to work; on AWS they move in the background, `status` RUNNING until then. */
async function redrive({ queue }: v.InferOutput<typeof Redrive>) {
  const sqs = new SQSClient({});
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl(queue),
      AttributeNames: ['QueueArn', 'RedrivePolicy'],
    }),
  );
  const SourceArn = JSON.parse(Attributes['RedrivePolicy'] as string).deadLetterTargetArn as string;
  await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: Attributes['QueueArn'] }));
  const { Results: [task] = [] } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 }));
  return { queue, status: task?.Status, messages: task?.ApproximateNumberOfMessagesToMove };
}

export const commands = { redrive: { input: Redrive, run: redrive } };
