import { World } from '#test/harness/world.ts';

declare global {
  // One for each worker of Vitest, whatever the number of its files.
  var crmWorld: Promise<World> | undefined;
}

let current: World | undefined;

/** Starts the functions in this process, or gives the next test file what it needs of those that run. */
export async function beginFile(assembly: string, folder: string): Promise<World> {
  globalThis.crmWorld ??= World.start(assembly, folder);
  current = await globalThis.crmWorld;
  await current.begin();
  return current;
}

/** The functions in this process, where they run in it. */
export const world = (): World | undefined => current;

function here(): World {
  if (!current) throw new Error('this test runs against a whole system, which nobody can move');
  return current;
}

/** Runs publishing, timers, workers, and deliveries until nothing is due. */
export const settle = (): Promise<void> => here().settle();

/** Moves the clock ahead by so many milliseconds; what falls due meanwhile is done in its order. */
export const advance = (ms: number): Promise<void> => here().advance(ms);

/** Does something at the time at which the work first waits for the clock, and returns what comes of the work. */
export async function atFirstWait<Result>(
  happens: () => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { clock } = here();
  const sleep = clock.sleep.bind(clock);
  let isFirst = true;
  clock.sleep = async (ms, signal) => {
    const isNow = isFirst;
    isFirst = false;
    if (isNow) await happens();
    await sleep(ms, signal);
  };
  try {
    return await work();
  } finally {
    clock.sleep = sleep;
  }
}
