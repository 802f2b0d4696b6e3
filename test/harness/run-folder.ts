import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files in memory, on Linux. */
const memory = '/dev/shm';
const name = /^crm-run-([0-9]+)-/;
/** Of two workers, with room for a test file that writes much. */
const neededBytes = 4e9;

/** The folder of this run's tables and files: in memory, where there is room. It removes those of runs that were killed. */
export function newRunFolder(): string {
  for (const parent of [memory, tmpdir()])
    for (const entry of entriesOf(parent)) if (isOfADeadProcess(entry)) removeIfOwn(join(parent, entry));
  return mkdtempSync(join(freeBytesOf(memory) >= neededBytes ? memory : tmpdir(), `crm-run-${process.pid}-`));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function removeIfOwn(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another user's.
  }
}

function isOfADeadProcess(entry: string): boolean {
  const pid = name.exec(entry)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Where it is noted what functions call. */
export const callsIn = (folder: string) => join(folder, 'calls.jsonl');
