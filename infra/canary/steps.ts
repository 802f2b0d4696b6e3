import { ApiError } from '#client/index.ts';

/** Result of a step. A step is left out if it needs a failed step or a missing resource. */
export type Outcome = 'done' | 'failed' | 'left out';

/** Says of a step what came of it, how long it took and, where it was not done, why. */
export type Tell = (outcome: Outcome, name: string, ms: number, why?: string) => void;

/** Raised by a step that cannot be taken for a reason that is no fault. */
export class LeftOut extends Error {}

/** Takes steps one after the other; none is taken any more once the signal is aborted. */
export class Steps {
  readonly #tell: Tell;
  readonly #stop: AbortSignal;
  readonly #requestId: () => string | null;
  failed = 0;

  /** `requestId` is that of the latest answer. */
  constructor(tell: Tell, stop: AbortSignal, requestId: () => string | null) {
    this.#tell = tell;
    this.#stop = stop;
    this.#requestId = requestId;
  }

  /** Runs a step and returns its result, or undefined if it failed. */
  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#stop.aborted) return undefined;
    const startedMs = performance.now();
    const tell = (outcome: Outcome, why?: string) =>
      this.#tell(outcome, name, Math.round(performance.now() - startedMs), why);
    try {
      const result = await work();
      tell('done');
      return result;
    } catch (error) {
      if (error instanceof LeftOut) tell('left out', error.message);
      else {
        this.failed += 1;
        tell('failed', this.#reasonOf(error));
      }
      return undefined;
    }
  }

  #reasonOf(error: unknown): string {
    const isAnswered = error instanceof ApiError;
    const { message } = error as Error;
    const requestId = isAnswered ? error.requestId : error instanceof Wrong ? this.#requestId() : null;
    return `${isAnswered ? `${error.status} ${error.code}: ` : ''}${message}${requestId === null ? '' : ` (request ${requestId})`}`;
  }
}

/** An answer that is another than it should be. */
class Wrong extends Error {}

/** Raises what is wrong where something is not as it should be. */
export function must(isSo: boolean, wrong: string): asserts isSo {
  if (!isSo) throw new Wrong(wrong);
}

/** Returns the value of an earlier step. Raises LeftOut if it is missing. */
export function made<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new LeftOut(`there is no ${what}`);
  return value;
}
