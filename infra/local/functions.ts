import { Instance } from './functions/instance.ts';
import type { Answer } from './functions/invocation.ts';
import type { FunctionLogs } from './functions/log.ts';
import { Pool } from './functions/pool.ts';
import type { FunctionToRun } from './template.ts';

export type Invoke = (functionName: string, event: string) => Promise<Answer>;

export interface FunctionsSettings {
  functions: readonly FunctionToRun[];
  /** What every function finds besides its own variables: region, credentials, the endpoints of the local services. */
  runtimeEnvironment: Record<string, string>;
  logs: FunctionLogs;
  /** The most instances of one function. */
  maxPerFunction?: number;
  /** Above it, idle instances give way to new ones. */
  maxInstances?: number;
  maxIdleMs?: number;
}

export interface Functions {
  /** Invokes with an event of JSON text; waits while all instances are busy. */
  invoke: Invoke;
  /** Replaces the code and settings; instances at work finish first. */
  replace(functions: readonly FunctionToRun[]): void;
  /** Ends the instances of one function as a crash would. */
  kill(name: string): Promise<void>;
  instanceCount(): number;
  close(): Promise<void>;
}

/** Runs functions, each in instances that start when they are called and stop when nobody needs them. */
export function startFunctions(settings: FunctionsSettings): Functions {
  const { runtimeEnvironment, logs, maxPerFunction = 4, maxInstances = 64, maxIdleMs = 120_000 } = settings;
  const pools = new Map<string, Pool>();
  const instanceCount = () => [...pools.values()].reduce((sum, { size }) => sum + size, 0);

  const makeRoom = () => {
    if (instanceCount() < maxInstances) return;
    const idle = [...pools.values()].filter((pool) => pool.oldestIdleSince !== undefined);
    idle.sort((a, b) => Number(a.oldestIdleSince) - Number(b.oldestIdleSince))[0]?.stopOldestIdle();
  };

  const start = (toRun: FunctionToRun) => {
    makeRoom();
    return new Instance(toRun, runtimeEnvironment, logs.of(toRun.name));
  };

  const replace = (functions: readonly FunctionToRun[]) => {
    for (const toRun of functions) {
      const pool = pools.get(toRun.name);
      const limit = Math.min(maxPerFunction, toRun.reservedConcurrency ?? maxPerFunction);
      if (pool) pool.replace(toRun);
      else pools.set(toRun.name, new Pool(toRun, limit, start));
    }
  };

  const timer = setInterval(() => {
    for (const pool of pools.values()) pool.stopIdle(Date.now() - maxIdleMs);
  }, 5000).unref();

  replace(settings.functions);
  return {
    invoke(name, event) {
      const pool = pools.get(name);
      if (!pool) throw new Error(`the template has no function ${name}`);
      return pool.invoke(event);
    },
    replace,
    kill: async (name) => pools.get(name)?.stop('the function was killed'),
    instanceCount,
    async close() {
      clearInterval(timer);
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
