import { defaultAttributes, parseAttributes, type QueueAttributes, redrivePolicyOf } from './attributes.ts';
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

  /** Makes a queue, or gives the one of this name these attributes. A dead-letter queue has to exist before its sources. */
  create(name: string, given: Record<string, unknown>): Queue {
    const attributes: QueueAttributes = { ...defaultAttributes, ...parseAttributes(given) };
    const policy = redrivePolicyOf(attributes);
    if (policy && !this.byArn(policy.deadLetterTargetArn))
      throw invalidValue('RedrivePolicy', attributes['RedrivePolicy'], 'Dead letter target does not exist.');
    const existing = this.#byName.get(name);
    existing?.setAttributes(attributes);
    if (existing) return existing;
    const identity = {
      name,
      arn: `arn:aws:sqs:${this.#home.region}:${this.#home.accountId}:${name}`,
      url: `${this.#baseUrl()}/${this.#home.accountId}/${name}`,
    };
    const queue = new Queue(identity, attributes, (arn) => this.byArn(arn));
    this.#byName.set(name, queue);
    return queue;
  }

  /** The host of the URL is not looked at: what one process calls localhost another calls 127.0.0.1. */
  byUrl(url: string): Queue {
    const [name = '', accountId] = url.split('/').reverse();
    const queue = accountId === this.#home.accountId ? this.#byName.get(name) : undefined;
    if (!queue) throw queueDoesNotExist();
    return queue;
  }

  byArn(arn: string): Queue | undefined {
    const queue = this.#byName.get(arn.split(':').at(-1) ?? '');
    return queue?.arn === arn ? queue : undefined;
  }

  all(): Queue[] {
    return [...this.#byName.values()];
  }
}
