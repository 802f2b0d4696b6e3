import { expect, test } from 'vitest';
import { readHostile } from '#test/email/read-hostile.ts';

test('mails of 20 MB that are made to exhaust us are read in little memory and time', async () => {
  const readings = await readHostile(20_000_000);
  expect(readings.length).toBeGreaterThan(30);
  for (const { name, from, size, cpuMs, maxRssMb } of readings) {
    expect(from, name).toMatch(/@/);
    expect(size, name).toBeLessThan(1_000_000);
    // A function has 1,024 MB.
    expect(maxRssMb, name).toBeLessThan(512);
    // Several times what any of them takes on a slow machine; what costs more for every line takes longer, and what is quadratic minutes.
    expect(cpuMs, name).toBeLessThan(6000);
  }
});
