import { randomUUID } from 'node:crypto';
import { now } from '#lib/core/clock.ts';
import { AwsError } from '../aws-error.ts';
import { invalidParameter } from './errors.ts';
import type { Message } from './message.ts';
import type { Queue } from './queue.ts';
import type { Queues } from './queues.ts';

interface MoveTask {
  Status: 'COMPLETED' | 'FAILED';
  SourceArn: string;
  DestinationArn?: string;
  ApproximateNumberOfMessagesMoved: number;
  ApproximateNumberOfMessagesToMove: number;
  FailureReason?: string;
  StartedTimestamp: number;
}

/** Moves of dead letters back to work. Here they are done before the answer, so none can be cancelled. */
export class MoveTasks {
  readonly #queues: Queues;
  readonly #tasks: MoveTask[] = [];

  constructor(queues: Queues) {
    this.#queues = queues;
  }

  start(sourceArn: string, destinationArn: string | undefined): string {
    const source = this.#queueAt(sourceArn, 'SourceArn');
    const destination = destinationArn === undefined ? undefined : this.#queueAt(destinationArn, 'DestinationArn');
    if (this.#queues.deadLetterSources(source).length === 0) {
      throw invalidParameter('Source queue must be configured as a Dead Letter Queue.');
    }
    this.#tasks.unshift(this.#move(source, destination));
    return randomUUID();
  }

  of(sourceArn: string): MoveTask[] {
    this.#queueAt(sourceArn, 'SourceArn');
    return this.#tasks.filter((task) => task.SourceArn === sourceArn);
  }

  #move(source: Queue, destination: Queue | undefined): MoveTask {
    const messages = source.visibleMessages();
    const moved = messages.filter((message) => {
      const target = destination ?? this.#queues.byArn(message.deadLetterSourceArn ?? '');
      if (!target) return false;
      resend(message, target);
      source.remove(message);
      return true;
    });
    const isComplete = moved.length === messages.length;
    return {
      Status: isComplete ? 'COMPLETED' : 'FAILED',
      SourceArn: source.arn,
      ...(destination && { DestinationArn: destination.arn }),
      ApproximateNumberOfMessagesMoved: moved.length,
      ApproximateNumberOfMessagesToMove: messages.length,
      ...(!isComplete && { FailureReason: 'CouldNotDetermineMessageSource' }),
      StartedTimestamp: now(),
    };
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

/** A redriven message is a new one: new id, new age, never received. */
function resend(message: Message, target: Queue): void {
  target.send(message.body, {
    attributes: message.attributes,
    traceHeader: message.traceHeader,
    messageGroupId: message.groupId,
    deduplicationId: target.isFifo ? randomUUID() : undefined,
  });
}
