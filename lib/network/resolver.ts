import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { secondMs } from '#lib/clock.ts';

/** Every address of a name, of both families. Throws Unresolved, or ResolverDown when the name is not at fault. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** The code of Unresolved when nobody answered for the name. */
export const silentNameServer = 'ETIMEOUT';

/** A name without an address; `code` as `node:dns` writes it. */
class Unresolved extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`no address: ${code}`);
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
  /** Names that the system knows by itself. */
  hostsFile?: string;
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
export function openResolver(settings: ResolverSettings = {}): NameResolver {
  const { hostsFile = '/etc/hosts', timeoutMs = 3 * secondMs } = settings;
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
      const known = addressesHere(hostname.replace(/\.$/, ''), hostsFile);
      return known.length > 0 ? known : (underWay.get(hostname) ?? ask(hostname)).addresses;
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
    const [ipv4, ipv6] = await this.#within(timeoutMs, [
      this.#resolver.resolve4(hostname),
      this.#resolver.resolve6(hostname),
    ]);
    const addresses = [...addressesOf(ipv4, 4), ...addressesOf(ipv6, 6)];
    if (addresses.length > 0) return addresses;
    const codes = [codeOf(ipv4), codeOf(ipv6)];
    const failure = codes.find((code) => !isSettled(code));
    // That there is no such name holds for both families.
    if (!failure || codes.includes('ENOTFOUND')) throw new Unresolved('ENOTFOUND');
    if (!this.#isGivenUp && !(await this.#isAnswering())) throw new ResolverDown(failure);
    throw new Unresolved(failure === 'ECANCELLED' ? silentNameServer : failure);
  }

  /** The root's name servers are what every resolver knows. */
  async #isAnswering(): Promise<boolean> {
    const [control] = await this.#within(controlMs, [this.#resolver.resolveNs('.')]);
    return this.#isGivenUp || isSettled(codeOf(control));
  }

  async #within<Answers extends readonly unknown[]>(
    timeoutMs: number,
    answers: { [Index in keyof Answers]: Promise<Answers[Index]> },
  ) {
    const late = setTimeout(() => this.#resolver.cancel(), timeoutMs);
    const settled = await Promise.allSettled(answers);
    clearTimeout(late);
    return settled;
  }
}

const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Without a name server: RFC 6761 gives `localhost` and what is below it to the loopback; c-ares does not read the hosts file. */
const addressesHere = (name: string, hostsFile: string) =>
  name === 'localhost' || name.endsWith('.localhost') ? loopback : addressesIn(hostsFile, name);

function addressesIn(hostsFile: string, name: string): LookupAddress[] {
  let text: string;
  try {
    text = readFileSync(hostsFile, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const isOfName = names.some((one) => one.toLowerCase() === name);
    return isOfName && isIP(address) ? [{ address, family: isIP(address) }] : [];
  });
}

/** Whether it was answered, be it that there is nothing. */
const isSettled = (code: string | null) => code === null || code === 'ENODATA' || code === 'ENOTFOUND';

const addressesOf = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];

const codeOf = (answer: PromiseSettledResult<unknown>): string | null =>
  answer.status === 'fulfilled' ? null : `${answer.reason.code}`;
