import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The dearest mail takes nine times what half of them take, on any machine; what is quadratic takes hundreds of times. */
const mostTimes = 12;

interface Reading {
  name: string;
  from: string;
  size: number;
  cpuMs: number;
  maxRssMb: number;
}

/** Reads every hostile mail at so many bytes in a process with less heap than a parser needs that keeps every line. */
export async function readHostile(bytes: number): Promise<Reading[]> {
  const options = ['--max-old-space-size=400', '--expose-gc', join(import.meta.dirname, 'hostile.ts'), String(bytes)];
  const { stdout } = await run(process.execPath, options);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Returns the CPU time that none of these mails may take: some times that of the mail in the middle. */
export function mostCpuMs(readings: readonly Reading[]): number {
  const sorted = readings.map(({ cpuMs }) => cpuMs).sort((a, b) => a - b);
  return mostTimes * (sorted[Math.floor(sorted.length / 2)] as number);
}
