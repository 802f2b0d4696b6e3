import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

interface Reading {
  name: string;
  from: string;
  size: number;
  cpuMs: number;
  maxRssMb: number;
}

test('mails of 20 MB that are made to exhaust us are read in little memory and time', async () => {
  // A function has 1,024 MB; a parser that keeps every line needs more than this heap for the first of them.
  const options = ['--max-old-space-size=400', '--expose-gc', join(import.meta.dirname, 'hostile.ts')];
  const { stdout } = await run(process.execPath, options);
  const readings: Reading[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(readings.length).toBeGreaterThan(30);
  for (const { name, from, size, cpuMs, maxRssMb } of readings) {
    expect(from, name).toMatch(/@/);
    expect(size, name).toBeLessThan(1_000_000);
    expect(maxRssMb, name).toBeLessThan(512);
    // Four times what any of them takes; what costs more for every line takes longer, and what is quadratic minutes.
    expect(cpuMs, name).toBeLessThan(2000);
  }
});
