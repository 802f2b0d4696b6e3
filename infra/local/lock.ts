import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartProblem } from './problem.ts';

/**
 * Keeps a second start out of a data folder. The lock is the operating system's, taken through SQLite because Node has no
 * file locks of its own: it ends with the process, however that ends.
 */
export function lockFolder(folder: string): void {
  const database = new DatabaseSync(join(folder, 'lock'));
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    throw new StartProblem(
      (error as { errcode?: number }).errcode === 5
        ? `another npm start is running on DATA_DIR ${folder}`
        : `DATA_DIR ${folder} cannot be used: ${(error as Error).message}`,
    );
  }
  process.once('exit', () => database.close());
}
