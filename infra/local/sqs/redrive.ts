import { randomUUID } from 'node:crypto';
import { now } from '#lib/core/clock.ts';
import { AwsError } from '../aws-error.ts';
import { invalidParameter } from './errors.ts';
import type { Queue } from './queue.ts';
import type { Queues } from './queues.ts';

interface MoveTask {
  Status: 'COMPLETED';
  SourceArn: string;
  DestinationArn: string;
  ApproximateNumberOfMessagesMoved: number;
  ApproximateNumberOfMessagesToMove: number;
  StartedTimestamp: number;
}

/** Moves of dead letters back to work. Here they are done before the answer, so none can be cancelled. */
export class MoveTasks {
  readonly #queues: Queues;
  readonly #tasks: MoveTask[] = [];

  constructor(queues: Queues) {
    this.#queues = queues;
  }

  start(sourceArn: string, destinationArn: string): string {
    const source = this.#queueAt(sourceArn, 'SourceArn');
    const destination = this.#queueAt(destinationArn, 'DestinationArn');
    if (!this.#queues.all().some(({ redrivePolicy }) => redrivePolicy?.deadLetterTargetArn === sourceArn))
      throw invalidParameter('Source queue must be configured as a Dead Letter Queue.');
    const messages = source.visibleMessages();
    for (const message of messages) {
      // A message that is put back is a new one: new id, new age, never received.
      destination.send(message.body, { messageGroupId: message.groupId });
      source.remove(message);
    }
    this.#tasks.unshift({
      Status: 'COMPLETED',
      SourceArn: sourceArn,
      DestinationArn: destinationArn,
      ApproximateNumberOfMessagesMoved: messages.length,
      ApproximateNumberOfMessagesToMove: messages.length,
      StartedTimestamp: now(),
    });
    return randomUUID();
  }

  of(sourceArn: string): MoveTask[] {
    this.#queueAt(sourceArn, 'SourceArn');
    return this.#tasks.filter((task) => task.SourceArn === sourceArn);
  }

  #queueAt(arn: string, parameter: string): Queue {
    const queue = this.#queues.byArn(arn);
    if (queue) return queue;
    throw new AwsError(
      'ResourceNotFoundException',
      `The resource that you specified for the ${parameter} parameter doesn't exist.`,
      { status: 404, queryCode: 'ResourceNotFoundException' },
    );
  }
}
