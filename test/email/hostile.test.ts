import { expect, test } from 'vitest';
import { mostCpuMs, readHostile } from '#test/email/read-hostile.ts';

test('mails of 2 MB that are made to exhaust us are read, in time that does not grow with its square', async () => {
  const readings = await readHostile(2_000_000);
  expect(readings.length).toBeGreaterThan(30);
  const most = mostCpuMs(readings);
  for (const { name, from, size, cpuMs } of readings) {
    expect(from, name).toMatch(/@/);
    expect(size, name).toBeLessThan(1_000_000);
    expect(cpuMs, name).toBeLessThan(most);
  }
});
