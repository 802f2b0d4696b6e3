import { randomUUID } from 'node:crypto';
import type { SQSRecord } from 'aws-lambda';
import { after, now } from '#lib/core/clock.ts';
import { type QueueAttributes, type RedrivePolicy, redrivePolicyOf } from './attributes.ts';
import { Groups } from './groups.ts';
import { toLambdaRecord } from './lambda-record.ts';
import { checkSend, type Message, type SendOptions } from './message.ts';
import { Waiters } from './waiters.ts';

interface ReceiveOptions {
  maxMessages?: number;
  /** The queue's own when absent. */
  visibilitySeconds?: number;
  /** The queue's own when absent. */
  waitSeconds?: number;
  /** Ends the wait; messages already taken are still returned. */
  signal?: AbortSignal;
}

/** One standard SQS queue in memory. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  attributes: QueueAttributes;
  redrivePolicy: RedrivePolicy | undefined;
  readonly #findQueue: (arn: string) => Queue | undefined;
  readonly #messages = new Map<string, Message>();
  readonly #counts = { ready: 0, delayed: 0, inFlight: 0 };
  readonly #groups = new Groups();
  readonly #waiters = new Waiters<Message>();
  #sequence = 0;

  constructor(
    identity: { name: string; arn: string; url: string },
    attributes: QueueAttributes,
    findQueue: (arn: string) => Queue | undefined,
  ) {
    this.name = identity.name;
    this.arn = identity.arn;
    this.url = identity.url;
    this.attributes = attributes;
    this.redrivePolicy = redrivePolicyOf(attributes);
    this.#findQueue = findQueue;
  }

  /** Returns the counts that CloudWatch calls visible, in flight, and delayed. */
  counts(): { visible: number; inFlight: number; delayed: number } {
    return { visible: this.#counts.ready, inFlight: this.#counts.inFlight, delayed: this.#counts.delayed };
  }

  setAttributes(attributes: QueueAttributes): void {
    this.attributes = attributes;
    this.redrivePolicy = redrivePolicyOf(attributes);
  }

  /** Takes a message. Returns its id. */
  send(body: string, options: SendOptions = {}): string {
    checkSend(body, options);
    const message: Message = {
      id: randomUUID(),
      body,
      groupId: options.messageGroupId,
      sentAt: now(),
      receiveCount: 0,
      sequence: 0,
      state: 'gone',
      cancel: () => {},
    };
    this.#admit(message, options.delaySeconds ?? Number(this.attributes['DelaySeconds']));
    return message.id;
  }

  /** Resolves with messages as soon as there are any, else with none when `waitSeconds` are over. */
  async receiveRecords({
    maxMessages = 1,
    visibilitySeconds,
    waitSeconds,
    signal,
  }: ReceiveOptions = {}): Promise<SQSRecord[]> {
    const waitS = waitSeconds ?? Number(this.attributes['ReceiveMessageWaitTimeSeconds']);
    const visibilityMs = (visibilitySeconds ?? Number(this.attributes['VisibilityTimeout'])) * 1000;
    const take = () => (signal?.aborted ? [] : this.#take(maxMessages, visibilityMs));
    const taken = take();
    const received =
      taken.length > 0 || waitS === 0 || signal?.aborted ? taken : await this.#waiters.wait(take, waitS * 1000, signal);
    return received.map((message) => toLambdaRecord(this.arn, message));
  }

  /** Removes a message by the handle of any of its receives. */
  delete(handle: string): void {
    const message = this.#messages.get(handle);
    if (message) this.remove(message);
  }

  purge(): void {
    for (const message of [...this.#messages.values()]) this.remove(message);
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
    for (const message of this.#messages.values()) message.cancel();
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
      return;
    }
    this.#counts[to] += 1;
    if (to === 'inFlight') this.#groups.countInFlight(message, 1);
    if (to === 'ready') {
      this.#groups.addReady(message);
      this.#waiters.wake();
    } else message.cancel = after(Math.max(1, timeoutAt - now()), () => this.#move(message, 'ready'));
  }

  #leave(message: Message): void {
    if (message.state === 'gone') return;
    this.#counts[message.state] -= 1;
    if (message.state === 'ready') this.#groups.removeReady(message);
    if (message.state === 'inFlight') this.#groups.countInFlight(message, -1);
    message.cancel();
  }

  #take(maxMessages: number, visibilityMs: number): Message[] {
    const taken: Message[] = [];
    while (taken.length < maxMessages) {
      const message = this.#groups.next();
      if (!message) break;
      if (this.#isExpired(message)) this.remove(message);
      else if (!this.#giveUp(message)) {
        message.receiveCount += 1;
        message.firstReceivedAt ??= now();
        this.#move(message, 'inFlight', now() + visibilityMs);
        taken.push(message);
      }
    }
    // With a timeout of 0 they stay visible, but one receive must not return a message twice.
    if (visibilityMs === 0) for (const message of taken) this.#move(message, 'ready');
    return taken;
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
    this.remove(message);
    deadLetters.#admit(message, 0);
    return true;
  }
}
