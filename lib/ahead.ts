import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<Ahead<unknown> | undefined>();

/**
 * Work that is begun before it is known whether its caller may have it done. It reads; what it would write waits for the admission, and
 * so does what it would log. Refused, it is given up, and nobody can tell that it was begun.
 */
export class Ahead<Result> {
  readonly #result: Promise<Result>;
  readonly #admission = Promise.withResolvers<void>();
  readonly #refusal = new AbortController();
  #withheld: (() => void)[] = [];
  #isAdmitted = false;

  constructor(work: () => Promise<Result>) {
    // Who is refused hears nothing of it.
    this.#admission.promise.catch(() => {});
    this.#result = current.run(this, work);
    this.#result.catch(() => {});
  }

  /** Lets it go on. Returns what it comes to. */
  admit(): Promise<Result> {
    this.#isAdmitted = true;
    this.#admission.resolve();
    for (const say of this.#withheld) say();
    return this.#result;
  }

  refuse(): void {
    if (this.#isAdmitted) return;
    this.#refusal.abort();
    this.#admission.reject(this.#refusal.signal.reason);
    this.#withheld = [];
  }

  get admission(): Promise<void> {
    return this.#admission.promise;
  }

  /** Ends what is under way when it is refused. */
  get signal(): AbortSignal | undefined {
    return this.#isAdmitted ? undefined : this.#refusal.signal;
  }

  say(saying: () => void): void {
    if (this.#isAdmitted) saying();
    else if (!this.#refusal.signal.aborted) this.#withheld.push(saying);
  }
}

/** Waits until it is known that the caller may have this done. Throws when they may not. */
export const admitted = async (): Promise<void> => current.getStore()?.admission;

/** Ends a call of work that is refused; undefined where nothing is begun ahead. */
export const refusal = (): AbortSignal | undefined => current.getStore()?.signal;

/** Says something as soon as it is known that the caller may have this done, and never when they may not. */
export function whenAdmitted(say: () => void): void {
  const ahead = current.getStore();
  if (ahead) ahead.say(say);
  else say();
}

/** Does what may be done for whoever asks, as nobody notices it. */
export const regardless = <Result>(act: () => Promise<Result>): Promise<Result> => current.run(undefined, act);
