import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { deadline, secondMs } from '#lib/core/clock.ts';
import { lookupTimeoutMs } from '#lib/core/timeouts.ts';

/** Every address of a name, of both families. Throws ResolverDown, or Unresolved when the name is at fault. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** The code of a name that nobody answered for. */
export const silentNameServer = 'ETIMEOUT';

/** A name that has no address; the code is one of `node:dns`. */
export class Unresolved extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The system's own resolver does not answer, whatever it is asked. */
export class ResolverDown extends Error {}

export interface NameResolver {
  lookup: Lookup;
  /** Gives up what is under way, and leaves nothing behind. */
  close(): void;
}

interface ResolverSettings {
  /** For one lookup: an answer for one family that comes in time is enough. */
  timeoutMs?: number;
}

const tryMs = secondMs;
const tries = 3;
const controlMs = secondMs;

/**
 * Looks up names that strangers give, by c-ares: `dns.lookup` holds one of the process's four threads for as long as a name
 * server is silent, and cannot be given up. A name is asked for once at a time, however many wait for it.
 */
export function openResolver({ timeoutMs = lookupTimeoutMs }: ResolverSettings = {}): NameResolver {
  const underWay = new Map<string, Question>();

  const ask = (hostname: string): Question => {
    const question = new Question(hostname, timeoutMs);
    underWay.set(hostname, question);
    const forget = () => underWay.delete(hostname);
    question.addresses.then(forget, forget);
    return question;
  };

  return {
    async lookup(hostname) {
      return localhost.test(hostname) ? loopback : (underWay.get(hostname) ?? ask(hostname)).addresses;
    },
    close() {
      for (const question of underWay.values()) question.giveUp();
    },
  };
}

/** One name, by a channel of its own: what is given up are its queries alone. */
class Question {
  readonly addresses: Promise<LookupAddress[]>;
  readonly #resolver = new Resolver({ timeout: tryMs, tries });
  #isGivenUp = false;

  constructor(hostname: string, timeoutMs: number) {
    this.addresses = this.#resolve(hostname, timeoutMs);
  }

  giveUp(): void {
    this.#isGivenUp = true;
    this.#resolver.cancel();
  }

  async #resolve(hostname: string, timeoutMs: number): Promise<LookupAddress[]> {
    const resolver = this.#resolver;
    const answers = await this.#within(timeoutMs, resolver.resolve4(hostname), resolver.resolve6(hostname));
    const addresses = answers.flatMap((answer) => (typeof answer === 'string' ? [] : answer.map(located)));
    if (addresses.length > 0) return addresses;
    const failure = answers.find(isFailure);
    // A missing name is missing for both families.
    if (!failure || answers.includes('ENOTFOUND')) throw new Unresolved('ENOTFOUND');
    // The root's name servers are what every resolver knows.
    const [control] = this.#isGivenUp ? [] : await this.#within(controlMs, resolver.resolveNs('.'));
    if (!this.#isGivenUp && isFailure(control)) throw new ResolverDown();
    throw new Unresolved(failure === 'ECANCELLED' ? silentNameServer : failure);
  }

  /** Returns the answers, or the code of the error of each. */
  async #within(timeoutMs: number, ...questions: Promise<string[]>[]): Promise<(string[] | string)[]> {
    const cancel = deadline(timeoutMs, () => this.#resolver.cancel());
    const answers = await Promise.all(questions.map((question) => question.catch(({ code }) => `${code}`)));
    cancel();
    return answers;
  }
}

const located = (address: string): LookupAddress => ({ address, family: isIP(address) });

/** Whether it is no answer: that there is nothing is one. */
const isFailure = (answer: string[] | string | undefined): answer is string =>
  typeof answer === 'string' && !/^(ENODATA|ENOTFOUND)$/.test(answer);

/** RFC 6761: these are the loopback, and no name server is asked. */
const localhost = /(^|\.)localhost\.?$/;
const loopback = ['127.0.0.1', '::1'].map(located);
