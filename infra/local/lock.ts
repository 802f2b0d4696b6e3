import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartProblem } from './problem.ts';

const retryMs = 100;

/**
 * Takes the lock of a file; undefined if another has it. It is the operating system's, through SQLite because Node has no file locks: it
 * ends with the process, however that ends.
 */
function tryLock(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
}

/** Keeps a second start out of a data folder, as long as this process runs. */
export function lockFolder(folder: string): void {
  const lock = lockOf(folder);
  if (!lock) throw new StartProblem(`another npm start is running on DATA_DIR ${folder}`);
  process.once('exit', () => lock.close());
}

function lockOf(folder: string): DatabaseSync | undefined {
  try {
    return tryLock(join(folder, 'lock'));
  } catch (error) {
    throw new StartProblem(`DATA_DIR ${folder} cannot be used: ${(error as Error).message}`);
  }
}

/** Takes the lock of a file when nobody else has it. Returns how to release it. */
export async function lockFile(path: string): Promise<Disposable> {
  for (;;) {
    const lock = tryLock(path);
    if (lock) return { [Symbol.dispose]: () => lock.close() };
    await sleep(retryMs);
  }
}
