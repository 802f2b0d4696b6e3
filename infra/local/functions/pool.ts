import { isDeepStrictEqual } from 'node:util';
import type { FunctionToRun } from '../template.ts';
import type { Instance } from './instance.ts';
import type { Answer } from './invocation.ts';

/** The instances of one function. Invocations beyond the limit wait in the order they came. */
export class Pool {
  readonly #start: (toRun: FunctionToRun) => Instance;
  readonly #limit: number;
  readonly #instances = new Set<Instance>();
  readonly #waiting: ((instance: Instance) => void)[] = [];
  #idle: Instance[] = [];
  #function: FunctionToRun;

  constructor(toRun: FunctionToRun, limit: number, start: (toRun: FunctionToRun) => Instance) {
    this.#function = toRun;
    this.#limit = limit;
    this.#start = start;
  }

  get size(): number {
    return this.#instances.size;
  }

  /** Since when its longest unused instance has been idle, if any is. */
  get oldestIdleSince(): number | undefined {
    return this.#idle[0]?.idleSince;
  }

  async invoke(event: string): Promise<Answer> {
    const instance = await this.#acquire();
    try {
      return await instance.invoke(event);
    } finally {
      this.#release(instance);
    }
  }

  /** Takes new code or settings; instances at work finish their invocation with the old ones. */
  replace(toRun: FunctionToRun): void {
    if (isDeepStrictEqual(toRun, this.#function)) return;
    this.#function = toRun;
    this.stopIdle(Number.POSITIVE_INFINITY);
  }

  /** Stops the instances that have been idle since before then; all that are idle with infinity. */
  stopIdle(before: number): void {
    const stopping = this.#idle.filter(({ idleSince }) => idleSince < before);
    this.#idle = this.#idle.filter((instance) => !stopping.includes(instance));
    for (const instance of stopping) this.#drop(instance);
  }

  stopOldestIdle(): void {
    const oldest = this.#idle.shift();
    if (oldest) this.#drop(oldest);
  }

  /** Stops for good: what waits is never answered. */
  close(): Promise<void> {
    this.#waiting.length = 0;
    return this.stop();
  }

  async stop(reason?: string): Promise<void> {
    await Promise.all([...this.#instances].map((instance) => instance.stop(reason)));
  }

  #acquire(): Instance | Promise<Instance> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#instances.size < this.#limit) return this.#add();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #release(instance: Instance): void {
    const isUsable = !instance.isGone && instance.function === this.#function;
    if (!isUsable) this.#drop(instance);
    const next = this.#waiting.shift();
    if (next) next(isUsable ? instance : this.#add());
    else if (isUsable) this.#idle.push(instance);
  }

  #add(): Instance {
    const instance = this.#start(this.#function);
    this.#instances.add(instance);
    void instance.exited.then(() => {
      this.#instances.delete(instance);
      this.#idle = this.#idle.filter((other) => other !== instance);
    });
    return instance;
  }

  #drop(instance: Instance): void {
    this.#instances.delete(instance);
    void instance.stop();
  }
}
