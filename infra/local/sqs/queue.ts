import { createHash, randomUUID } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import { now } from '#lib/core/clock.ts';
import { TimerHeap } from '../timer-heap.ts';
import {
  initialAttributes,
  parseAttributes,
  type QueueAttributes,
  type RedrivePolicy,
  redrivePolicyOf,
} from './attributes.ts';
import { type Accepted, Deduplication } from './deduplication.ts';
import { inRange, invalidParameter, invalidValue } from './errors.ts';
import { Groups, groupOf } from './groups.ts';
import { toLambdaRecord } from './lambda-record.ts';
import type { Message, Received } from './message.ts';
import { readReceiptHandle, receiptHandle } from './receipt.ts';
import { checkSend, type SendOptions } from './send.ts';
import { Waiters } from './waiters.ts';

export interface ReceiveOptions {
  maxMessages?: number | undefined;
  /** The queue's own when absent. */
  visibilitySeconds?: number | undefined;
  waitSeconds?: number | undefined;
  /** Ends the wait; messages already taken are still returned. */
  signal?: AbortSignal | undefined;
}

const maxVisibilitySeconds = 43_200;

/** One SQS queue in memory. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly isFifo: boolean;
  readonly createdAt = now();
  modifiedAt = this.createdAt;
  attributes: QueueAttributes;
  redrivePolicy: RedrivePolicy | undefined;
  readonly #findQueue: (arn: string) => Queue | undefined;
  readonly #messages = new Map<string, Message>();
  readonly #counts = { ready: 0, delayed: 0, inFlight: 0 };
  readonly #groups: Groups;
  readonly #deduplication = new Deduplication();
  readonly #timeouts = new TimerHeap<Message>((message) => this.#move(message, 'ready'));
  readonly #waiters = new Waiters<Received>();
  #sequence = 0;

  constructor(
    identity: { name: string; arn: string; url: string },
    attributes: QueueAttributes,
    findQueue: (arn: string) => Queue | undefined,
  ) {
    this.name = identity.name;
    this.arn = identity.arn;
    this.url = identity.url;
    this.attributes = initialAttributes(attributes);
    this.isFifo = this.attributes['FifoQueue'] === 'true';
    this.redrivePolicy = redrivePolicyOf(this.attributes);
    this.#groups = new Groups(this.isFifo);
    this.#findQueue = findQueue;
  }

  /** What CloudWatch would call visible, in flight and delayed. */
  counts(): { visible: number; inFlight: number; delayed: number } {
    return { visible: this.#counts.ready, inFlight: this.#counts.inFlight, delayed: this.#counts.delayed };
  }

  setAttributes(given: Record<string, unknown>): void {
    this.attributes = { ...this.attributes, ...parseAttributes(given) };
    this.redrivePolicy = redrivePolicyOf(this.attributes);
    this.modifiedAt = now();
  }

  send(body: string, options: SendOptions = {}): Accepted {
    checkSend(body, options, this);
    const key = this.#deduplicationKey(body, options);
    const duplicate = key && this.#deduplication.find(key.scoped);
    if (duplicate) return duplicate;
    const message: Message = {
      id: randomUUID(),
      body,
      attributes: options.attributes ?? {},
      traceHeader: options.traceHeader,
      groupId: options.messageGroupId,
      deduplicationId: key?.id,
      sentAt: now(),
      receiveCount: 0,
      sequence: 0,
      state: 'gone',
      receivedAt: 0,
      receipt: '',
    };
    this.#admit(message, options.delaySeconds ?? Number(this.attributes['DelaySeconds']));
    const accepted = { messageId: message.id, sequence: message.sequence };
    if (key) this.#deduplication.add(key.scoped, accepted);
    return accepted;
  }

  /** Resolves with messages as soon as there are any, else with none when `waitSeconds` are over. */
  receive({ maxMessages = 1, visibilitySeconds, waitSeconds, signal }: ReceiveOptions = {}): Promise<Received[]> {
    inRange('MaxNumberOfMessages', maxMessages, [1, 10], 'Must be between 1 and 10, if provided.');
    const waitS = waitSeconds ?? Number(this.attributes['ReceiveMessageWaitTimeSeconds']);
    inRange('WaitTimeSeconds', waitS, [0, 20], 'Must be >= 0 and <= 20, if provided.');
    const visibilityS = visibilitySeconds ?? Number(this.attributes['VisibilityTimeout']);
    checkVisibility(visibilityS);
    const take = () => this.#take(maxMessages, visibilityS);
    const received = signal?.aborted ? [] : take();
    if (received.length > 0 || waitS === 0 || signal?.aborted) return Promise.resolve(received);
    return this.#waiters.wait(take, waitS * 1000, signal);
  }

  /** Receives messages as an event-source mapping hands them to a Lambda function. */
  async receiveRecords(options: ReceiveOptions = {}): Promise<SQSRecord[]> {
    return (await this.receive(options)).map((received) => toLambdaRecord(this, received));
  }

  delete(handle: string): void {
    const { messageId, nonce } = readReceiptHandle(handle, this.arn);
    const message = this.#messages.get(messageId);
    if (!message) return;
    this.#checkStillHeld(message, nonce, handle);
    this.#move(message, 'gone');
  }

  changeVisibility(handle: string, visibilitySeconds: number): void {
    checkVisibility(visibilitySeconds);
    const { messageId, nonce } = readReceiptHandle(handle, this.arn);
    const message = this.#messages.get(messageId);
    if (message?.state !== 'inFlight') {
      throw invalidValue(
        'ReceiptHandle',
        handle,
        'Message does not exist or is not available for visibility timeout change.',
      );
    }
    this.#checkStillHeld(message, nonce, handle);
    const visibleAt = now() + visibilitySeconds * 1000;
    if (visibleAt - message.receivedAt > maxVisibilitySeconds * 1000) {
      throw invalidValue(
        'VisibilityTimeout',
        visibilitySeconds,
        'Total VisibilityTimeout for the message is beyond the limit [43200 seconds]',
      );
    }
    if (visibilitySeconds === 0) this.#move(message, 'ready');
    else this.#move(message, 'inFlight', visibleAt);
  }

  purge(): void {
    for (const message of [...this.#messages.values()]) this.#move(message, 'gone');
  }

  /** Takes a message that another queue gave up. */
  takeDeadLetter(message: Message, sourceArn: string): void {
    message.deadLetterSourceArn = sourceArn;
    if (this.isFifo) message.sentAt = now();
    this.#admit(message, 0);
  }

  /** The visible messages, oldest first. */
  visibleMessages(): Message[] {
    return [...this.#messages.values()].filter((message) => message.state === 'ready');
  }

  remove(message: Message): void {
    this.#move(message, 'gone');
  }

  /** Ends every wait and timer. */
  close(): void {
    this.#waiters.close();
    this.#timeouts.clear();
  }

  #admit(message: Message, delaySeconds: number): void {
    this.#sequence += 1;
    message.sequence = this.#sequence;
    this.#messages.set(message.id, message);
    if (delaySeconds > 0) this.#move(message, 'delayed', now() + delaySeconds * 1000);
    else this.#move(message, 'ready');
  }

  #move(message: Message, to: Message['state'], timeoutAt = 0): void {
    this.#leave(message);
    message.state = to;
    if (to === 'gone') {
      this.#messages.delete(message.id);
    } else {
      this.#counts[to] += 1;
      if (to === 'ready') this.#groups.addReady(message);
      else message.timeout = this.#timeouts.add(timeoutAt, message);
      if (to === 'inFlight') this.#groups.countInFlight(message, 1);
    }
    // A message that leaves can free its FIFO group.
    this.#waiters.wake();
  }

  #leave(message: Message): void {
    if (message.state === 'gone') return;
    this.#counts[message.state] -= 1;
    if (message.state === 'ready') this.#groups.removeReady(message);
    if (message.state === 'inFlight') this.#groups.countInFlight(message, -1);
    if (message.timeout) this.#timeouts.remove(message.timeout);
    message.timeout = undefined;
  }

  #take(maxMessages: number, visibilitySeconds: number): Received[] {
    const received: Received[] = [];
    const openedGroups = new Set<string>();
    while (received.length < maxMessages) {
      const message = this.#groups.next(openedGroups);
      if (!message) break;
      if (this.#isExpired(message)) this.#move(message, 'gone');
      else if (!this.#giveUp(message)) {
        openedGroups.add(groupOf(message));
        received.push(this.#handOut(message, visibilitySeconds));
      }
    }
    // With a timeout of 0 they stay visible, but one receive must not return a message twice.
    if (visibilitySeconds === 0) for (const { message } of received) this.#move(message, 'ready');
    return received;
  }

  #handOut(message: Message, visibilitySeconds: number): Received {
    const receivedAt = now();
    message.receiveCount += 1;
    message.firstReceivedAt ??= receivedAt;
    message.receivedAt = receivedAt;
    message.receipt = randomUUID();
    this.#move(message, 'inFlight', receivedAt + visibilitySeconds * 1000);
    return {
      message,
      receiptHandle: receiptHandle({ queueArn: this.arn, messageId: message.id, nonce: message.receipt }),
    };
  }

  #isExpired(message: Message): boolean {
    return message.sentAt + Number(this.attributes['MessageRetentionPeriod']) * 1000 <= now();
  }

  /** Moves a message that was received too often to the dead-letter queue, if there is one. */
  #giveUp(message: Message): boolean {
    const policy = this.redrivePolicy;
    if (!policy || message.receiveCount < policy.maxReceiveCount) return false;
    const deadLetters = this.#findQueue(policy.deadLetterTargetArn);
    if (!deadLetters) return false;
    this.#move(message, 'gone');
    deadLetters.takeDeadLetter(message, this.arn);
    return true;
  }

  #deduplicationKey(body: string, options: SendOptions): { id: string; scoped: string } | undefined {
    if (!this.isFifo) return undefined;
    const isContentBased = this.attributes['ContentBasedDeduplication'] === 'true';
    const id = options.deduplicationId ?? (isContentBased && createHash('sha256').update(body).digest('hex'));
    if (!id) {
      throw invalidParameter(
        'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
      );
    }
    const isPerGroup = this.attributes['DeduplicationScope'] === 'messageGroup';
    return { id, scoped: isPerGroup ? `${options.messageGroupId} ${id}` : id };
  }

  /** FIFO queues refuse handles of receives that are over; standard queues take any handle of the message. */
  #checkStillHeld(message: Message, nonce: string, handle: string): void {
    if (!this.isFifo || (message.state === 'inFlight' && message.receipt === nonce)) return;
    throw invalidValue('ReceiptHandle', handle, 'The receipt handle has expired.');
  }
}

function checkVisibility(seconds: number): void {
  inRange('VisibilityTimeout', seconds, [0, maxVisibilitySeconds], 'Must be between 0 and 43200.');
}
