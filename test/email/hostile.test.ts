import { expect, test } from 'vitest';
import { readHostile } from '#test/email/read-hostile.ts';

test('mails of 2 MB that are made to exhaust us are read, in time that does not grow with its square', async () => {
  const readings = await readHostile(2_000_000);
  expect(readings.length).toBeGreaterThan(30);
  for (const { name, from, size, cpuMs } of readings) {
    expect(from, name).toMatch(/@/);
    expect(size, name).toBeLessThan(1_000_000);
    // On a slow machine as well; what is quadratic takes many seconds at ten times the size (the full tier).
    expect(cpuMs, name).toBeLessThan(3000);
  }
});
