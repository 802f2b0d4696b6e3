import { expect, test } from 'vitest';
import { mostCpuMs, readHostile } from '#test/email/read-hostile.ts';

test('mails of 20 MB that are made to exhaust us are read in little memory and time', async () => {
  const readings = await readHostile(20_000_000);
  expect(readings.length).toBeGreaterThan(30);
  const most = mostCpuMs(readings);
  for (const { name, from, size, cpuMs, maxRssMb } of readings) {
    expect(from, name).toMatch(/@/);
    expect(size, name).toBeLessThan(1_000_000);
    // A function has 1,024 MB.
    expect(maxRssMb, name).toBeLessThan(512);
    expect(cpuMs, name).toBeLessThan(most);
  }
});
