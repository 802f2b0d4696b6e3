import { AwsError } from '../aws-error.ts';
import { checkQueueName, parseAttributes, redrivePolicyOf } from './attributes.ts';
import { invalidValue, queueDoesNotExist } from './errors.ts';
import { Queue } from './queue.ts';

export interface Home {
  accountId: string;
  region: string;
}

/** The queues of one account in one region. */
export class Queues {
  readonly #home: Home;
  readonly #baseUrl: () => string;
  readonly #byName = new Map<string, Queue>();

  constructor(home: Home, baseUrl: () => string) {
    this.#home = home;
    this.#baseUrl = baseUrl;
  }

  create(name: string, given: Record<string, unknown>): Queue {
    const attributes = parseAttributes(given);
    checkQueueName(name, attributes['FifoQueue'] === 'true');
    this.#checkRedriveTarget(attributes);
    const existing = this.#byName.get(name);
    if (existing) return unchanged(existing, attributes);
    const identity = {
      name,
      arn: `arn:aws:sqs:${this.#home.region}:${this.#home.accountId}:${name}`,
      url: `${this.#baseUrl()}/${this.#home.accountId}/${name}`,
    };
    const queue = new Queue(identity, attributes, (arn) => this.byArn(arn));
    this.#byName.set(name, queue);
    return queue;
  }

  setAttributes(queue: Queue, given: Record<string, unknown>): void {
    this.#checkRedriveTarget(parseAttributes(given));
    queue.setAttributes(given);
  }

  delete(queue: Queue): void {
    queue.close();
    this.#byName.delete(queue.name);
  }

  byName(name: string): Queue {
    const queue = this.#byName.get(name);
    if (!queue) throw queueDoesNotExist();
    return queue;
  }

  /** The host of the URL is not looked at: what one process calls localhost another calls 127.0.0.1. */
  byUrl(url: string): Queue {
    const [name = '', accountId] = url.split('/').reverse();
    if (accountId !== this.#home.accountId) throw queueDoesNotExist();
    return this.byName(name);
  }

  byArn(arn: string): Queue | undefined {
    const queue = this.#byName.get(arn.split(':').at(-1) ?? '');
    return queue?.arn === arn ? queue : undefined;
  }

  all(): Queue[] {
    return [...this.#byName.values()];
  }

  deadLetterSources(deadLetters: Queue): Queue[] {
    return this.all().filter((queue) => queue.redrivePolicy?.deadLetterTargetArn === deadLetters.arn);
  }

  #checkRedriveTarget(attributes: Record<string, string>): void {
    const policy = redrivePolicyOf(attributes);
    if (!policy || this.byArn(policy.deadLetterTargetArn)) return;
    throw invalidValue('RedrivePolicy', attributes['RedrivePolicy'], 'Dead letter target does not exist.');
  }
}

function unchanged(existing: Queue, attributes: Record<string, string>): Queue {
  for (const [name, value] of Object.entries(attributes)) {
    if (existing.attributes[name] === value) continue;
    throw new AwsError(
      'QueueNameExists',
      `A queue already exists with the same name and a different value for attribute ${name}`,
      { queryCode: 'QueueAlreadyExists' },
    );
  }
  return existing;
}
