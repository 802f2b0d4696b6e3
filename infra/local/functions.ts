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
  /** What every function finds besides its own variables: region, credentials, the endpoints of the local services. */
  runtimeEnvironment: Record<string, string>;
  /** The credentials of a function's role, as variables. */
  credentialsOf?(functionName: string): Record<string, string>;
  logs: FunctionLogs;
  /** Every function has instances of its own, as on Lambda; else those of one size share theirs, and what is loaded there. */
  isStrict?: boolean;
  /** The most invocations of all functions at once (Lambda developer guide, quotas). What functions reserve is theirs alone. */
  concurrentExecutions?: number;
  /** The most invocations of one function at once. */
  maxPerFunction?: number;
  /** Above it, idle instances give way to new ones. */
  maxInstances?: number;
  maxIdleMs?: number;
}

export interface Functions {
  /** Invokes with an event of JSON text; waits while as many as may run at once do. */
  invoke: Invoke;
  /** The same for who waits for the answer: raises TooManyRequests at once where as many run as may. */
  call: Invoke;
  /** Replaces the code and settings; instances at work finish first. */
  replace(functions: readonly FunctionToRun[]): void;
  /** Ends the instances that run one function as a crash would. */
  kill(name: string): Promise<void>;
  instanceCount(): number;
  close(): Promise<void>;
}

/** What Lambda says of an invocation beyond the concurrency of the account or of the function. */
export class TooManyRequests extends Error {}

interface Running {
  toRun: FunctionToRun;
  /** How many invocations may run at once; the others wait in the order they came. */
  turns: LimitFunction;
}

/** Of the names and values together, as JSON (Lambda developer guide, quotas). */
const maxEnvironmentBytes = 4096;

/** Raises what Lambda would say of a function that it does not make. */
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
    credentialsOf = () => ({}),
    logs,
    isStrict = false,
    concurrentExecutions = Number.POSITIVE_INFINITY,
    maxPerFunction = 4,
    maxInstances = 64,
    maxIdleMs = 120_000,
  } = settings;
  const running = new Map<string, Running>();
  /** Of the functions that reserve none. */
  const unreserved = limitedTo(concurrentExecutions);
  const pools = new Map<string, Pool>();
  const instanceCount = () => [...pools.values()].reduce((sum, { size }) => sum + size, 0);

  const makeRoom = () => {
    if (instanceCount() < maxInstances) return;
    const idle = [...pools.values()].filter((pool) => pool.oldestIdleSince !== undefined);
    idle.sort((a, b) => Number(a.oldestIdleSince) - Number(b.oldestIdleSince))[0]?.stopOldestIdle();
  };

  const poolOf = ({ name, memoryMb }: FunctionToRun): Pool => {
    const key = isStrict ? name : `${memoryMb} MB`;
    const start = () => {
      makeRoom();
      return new Instance({ memoryMb, runtimeEnvironment, credentialsOf, logs });
    };
    const pool = pools.get(key) ?? new Pool(start);
    pools.set(key, pool);
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
    const reserved = functions.reduce((sum, { reservedConcurrency = 0 }) => sum + reservedConcurrency, 0);
    unreserved.concurrency = Math.max(1, concurrentExecutions - reserved);
  };

  const timer = setInterval(() => {
    for (const pool of pools.values()) pool.stopIdle(Date.now() - maxIdleMs);
  }, 5000).unref();

  const runningOf = (name: string): Running => {
    const called = running.get(name);
    if (!called) throw new Error(`the template has no function ${name}`);
    return called;
  };

  const invoke: Invoke = async (name, event) => {
    const { toRun, turns } = runningOf(name);
    const run = () => turns(() => poolOf(toRun).use((instance) => instance.invoke(toRun, event)));
    return toRun.reservedConcurrency === undefined ? unreserved(run) : run();
  };

  replace(settings.functions);
  return {
    invoke,
    async call(name, event) {
      const { toRun, turns } = runningOf(name);
      const { activeCount, pendingCount } = toRun.reservedConcurrency === undefined ? unreserved : turns;
      const most = toRun.reservedConcurrency ?? unreserved.concurrency;
      if (Number.isFinite(concurrentExecutions) && activeCount + pendingCount >= most)
        throw new TooManyRequests('Rate Exceeded.');
      return invoke(name, event);
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
