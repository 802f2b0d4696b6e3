import type { Instance } from './instance.ts';

// Most invocations are over sooner, and a new instance takes longer than that to start.
const giveUpMs = 50;

/** Instances of which each runs whatever function is called next. One that is used often is used again first. */
export class Pool {
  readonly #start: () => Instance;
  readonly #instances = new Set<Instance>();
  readonly #waiting: ((instance: Instance) => void)[] = [];
  #idle: Instance[] = [];
  /** The code before the last change: who runs it stops when its invocation is over. */
  #outdated = new WeakSet<Instance>();
  #timer: NodeJS.Timeout | undefined;

  constructor(start: () => Instance) {
    this.#start = start;
  }

  get size(): number {
    return this.#instances.size;
  }

  /** Since when its longest unused instance has been idle, if any is. */
  get oldestIdleSince(): number | undefined {
    return this.#idle[0]?.idleSince;
  }

  /** Runs something in an instance that does nothing else meanwhile. */
  async use<Result>(run: (instance: Instance) => Promise<Result>): Promise<Result> {
    const instance = await this.#acquire();
    try {
      return await run(instance);
    } finally {
      this.#release(instance);
    }
  }

  /** No instance takes another invocation; those at work finish theirs. */
  renew(): void {
    this.stopIdle(Number.POSITIVE_INFINITY);
    for (const instance of this.#instances) this.#outdated.add(instance);
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

  /** Ends those that run the function, as a crash would. */
  async kill(name: string, reason: string): Promise<void> {
    await Promise.all([...this.#instances].filter((one) => one.runs(name)).map((one) => one.stop(reason)));
  }

  /** Stops for good: what waits is never answered. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#waiting.length = 0;
    await Promise.all([...this.#instances].map((instance) => instance.stop()));
  }

  #acquire(): Instance | Promise<Instance> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#instances.size === 0) return this.#add();
    this.#timer ??= this.#growLater();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** One at a time: a burst of short calls is over sooner than many instances have started, and on a busy machine they slow each other. */
  #growLater(): NodeJS.Timeout {
    return setTimeout(() => {
      const isStarting = [...this.#instances].some((instance) => instance.isStarting);
      if (!isStarting) this.#waiting.shift()?.(this.#add());
      this.#timer = this.#waiting.length > 0 ? this.#growLater() : undefined;
    }, giveUpMs);
  }

  #release(instance: Instance): void {
    const isUsable = !instance.isGone && !this.#outdated.has(instance);
    if (!isUsable) this.#drop(instance);
    const next = this.#waiting.shift();
    if (next) next(isUsable ? instance : this.#add());
    else if (isUsable) this.#idle.push(instance);
    if (this.#waiting.length > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #add(): Instance {
    const instance = this.#start();
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
