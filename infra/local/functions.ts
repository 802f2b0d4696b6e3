import { isDeepStrictEqual } from 'node:util';
import limitedTo, { type LimitFunction } from 'p-limit';
import { Instance } from './functions/instance.ts';
import type { Answer } from './functions/invocation.ts';
import type { FunctionLogs } from './functions/log.ts';
import { Pool } from './functions/pool.ts';
import type { FunctionToRun } from './template.ts';

export type Invoke = (functionName: string, event: string) => Promise<Answer>;

export interface FunctionsSettings {
  functions: readonly FunctionToRun[];
  /** Variables that every function also gets: region, credentials, and the endpoints of the local services. */
  runtimeEnvironment: Record<string, string>;
  /** Returns the variables by which the local services know the calling function. */
  sessionOf?(functionName: string): Record<string, string>;
  logs: FunctionLogs;
  /** The most invocations of one function at once. */
  maxPerFunction?: number;
  /** Above it, idle instances give way to new ones. */
  maxInstances?: number;
  maxIdleMs?: number;
}

export interface Functions {
  /** Invokes with an event of JSON text; waits while as many as may run at once do. */
  invoke: Invoke;
  /** Replaces the code and settings; instances at work finish first. */
  replace(functions: readonly FunctionToRun[]): void;
  /** Ends the instances that run one function as a crash would. */
  kill(name: string): Promise<void>;
  instanceCount(): number;
  close(): Promise<void>;
}

interface Running {
  toRun: FunctionToRun;
  /** How many invocations may run at once; the others wait in the order they came. */
  turns: LimitFunction;
}

/** Limit for the names and values together, as JSON (Lambda developer guide, quotas). */
const maxEnvironmentBytes = 4096;

/** Raises the error with which Lambda would refuse to create a function. */
function requireAllowed({ name, environment, timeoutSeconds, memoryMb }: FunctionToRun): void {
  const bytes = Buffer.byteLength(JSON.stringify(environment));
  if (bytes > maxEnvironmentBytes)
    throw new Error(`${name}: the environment has ${bytes} bytes, and Lambda takes ${maxEnvironmentBytes}`);
  if (timeoutSeconds > 900) throw new Error(`${name}: the time-out is ${timeoutSeconds} s, and Lambda takes 900`);
  if (memoryMb < 128 || memoryMb > 10_240)
    throw new Error(`${name}: the memory is ${memoryMb} MB, and Lambda takes 128 to 10,240`);
}

/** Runs functions, in instances that start when they are needed and stop when nobody needs them. */
export function startFunctions(settings: FunctionsSettings): Functions {
  const {
    runtimeEnvironment,
    sessionOf = () => ({}),
    logs,
    maxPerFunction = 10,
    maxInstances = 64,
    maxIdleMs = 120_000,
  } = settings;
  const running = new Map<string, Running>();
  const pools = new Map<number, Pool>();
  const instanceCount = () => [...pools.values()].reduce((sum, { size }) => sum + size, 0);

  const makeRoom = () => {
    if (instanceCount() < maxInstances) return;
    const idle = [...pools.values()].filter((pool) => pool.oldestIdleSince !== undefined);
    idle.sort((a, b) => Number(a.oldestIdleSince) - Number(b.oldestIdleSince))[0]?.stopOldestIdle();
  };

  /** Functions of one size share instances, and what is loaded there. */
  const poolOf = ({ memoryMb }: FunctionToRun): Pool => {
    const start = () => {
      makeRoom();
      return new Instance({ memoryMb, runtimeEnvironment, sessionOf, logs });
    };
    const pool = pools.get(memoryMb) ?? new Pool(start);
    pools.set(memoryMb, pool);
    return pool;
  };

  const replace = (functions: readonly FunctionToRun[]) => {
    functions.forEach(requireAllowed);
    const changed = functions.filter((toRun) => !isDeepStrictEqual(toRun, running.get(toRun.name)?.toRun));
    for (const pool of new Set(changed.map(poolOf))) pool.renew();
    for (const toRun of changed) {
      const limit = Math.min(maxPerFunction, toRun.reservedConcurrency ?? maxPerFunction);
      const turns = running.get(toRun.name)?.turns ?? limitedTo(limit);
      turns.concurrency = limit;
      running.set(toRun.name, { toRun, turns });
    }
  };

  const timer = setInterval(() => {
    for (const pool of pools.values()) pool.stopIdle(Date.now() - maxIdleMs);
  }, 5000).unref();

  replace(settings.functions);
  return {
    async invoke(name, event) {
      const called = running.get(name);
      if (!called) throw new Error(`the template has no function ${name}`);
      const { toRun, turns } = called;
      return turns(() => poolOf(toRun).use((instance) => instance.invoke(toRun, event)));
    },
    replace,
    kill: async (name) => {
      await Promise.all([...pools.values()].map((pool) => pool.kill(name, 'the function was killed')));
    },
    instanceCount,
    async close() {
      clearInterval(timer);
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
