import { isDeepStrictEqual } from 'node:util';
import type { TestContext } from 'vitest';
import { expect } from 'vitest';

/** What one implementation of a service answered, call by call. */
type Answers = Record<string, unknown>;

/** Where moto listens: `npm run test:oracles` starts one where it is installed. */
const motoUrl = process.env['MOTO_URL'];

/** Of a client of the SDK, at one or the other implementation. */
export const clientOf = (endpoint: string) => ({
  region: 'us-east-1',
  endpoint,
  credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  maxAttempts: 1,
});

/** Of a local service that such a client asks. */
export const guarded = { host: '127.0.0.1', port: 0, accessKeyId: 'any' };
export const home = { accountId: '123456789012', region: 'us-east-1' };

interface Failure {
  name: string;
  /** As the query protocol names it. */
  Code?: string;
  $metadata?: { httpStatusCode?: number };
  Item?: unknown;
  CancellationReasons?: { Code?: string; Item?: unknown }[];
}

/** Keeps what is answered to the calls of a play: the values, or how a refusal is named and its status. */
export class Play {
  readonly answers: Answers = {};
  readonly #perRun: RegExp;
  readonly #unasked: readonly string[];

  /** `perRun` names what differs from run to run, of which the type is kept; `unasked` what nobody here reads. */
  constructor(perRun: RegExp, unasked: readonly string[] = []) {
    this.#perRun = perRun;
    this.#unasked = ['$metadata', ...unasked];
  }

  async ask<T>(step: string, answer: Promise<T>): Promise<T | undefined> {
    if (step in this.answers) throw new Error(`two steps are called ${step}`);
    try {
      const answered = await answer;
      this.note(step, answered);
      return answered;
    } catch (cause) {
      const { name, Code, $metadata, Item, CancellationReasons } = cause as Failure;
      const reasons = CancellationReasons?.map((reason) => ({ Code: reason.Code, Item: reason.Item }));
      this.note(step, { refused: [name, Code, $metadata?.httpStatusCode].join(' '), Item, reasons });
      return undefined;
    }
  }

  note(step: string, value: unknown): void {
    this.answers[step] = this.#comparable(value);
  }

  #comparable(value: unknown, name = ''): unknown {
    if (this.#unasked.includes(name)) return undefined;
    if (this.#perRun.test(name)) return Array.isArray(value) ? value.length : typeof value;
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    // Protocols of JSON leave empty lists out, moto does not always.
    if (Array.isArray(value)) return value.length > 0 ? value.map((one) => this.#comparable(one)) : undefined;
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, one]) => [key, this.#comparable(one, key)] as const);
    return Object.fromEntries(entries.filter(([, one]) => one !== undefined));
  }
}

interface Compared {
  play(endpoint: string): Promise<Answers>;
  /** The endpoint of the local service, which is closed afterwards. */
  start(): Promise<{ url: string; close(): Promise<unknown> }>;
  /** The steps at which they differ, by the reason: AWS's documentation decides. One that no longer differs fails. */
  differences: Record<string, readonly string[]>;
}

/** Plays the same calls against the local service and moto, or skips the test. */
export async function compareWithMoto({ skip }: TestContext, { play, start, differences }: Compared): Promise<void> {
  if (!motoUrl) return skip('MOTO_URL names no moto: npm run test:oracles starts one');
  const local = await start();
  const ours = await play(local.url).finally(() => local.close());
  const theirs = await play(motoUrl);
  const explained = Object.values(differences).flat();
  const steps = Object.keys({ ...ours, ...theirs });
  const differing = steps.filter((step) => !isDeepStrictEqual(ours[step], theirs[step]));
  expect(explained.filter((step) => !differing.includes(step))).toEqual([]);
  const said = differing
    .filter((step) => !explained.includes(step))
    .map((step) => [step, { ours: JSON.stringify(ours[step]), theirs: JSON.stringify(theirs[step]) }]);
  expect(Object.fromEntries(said)).toEqual({});
}
