import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { notedWriteUnits } from '#test/bench/costs.ts';
import { demoClient } from '#test/bench/demo.ts';
import { startMetered } from '#test/bench/metered.ts';
import { settled } from '#test/bench/units.ts';
import { writesOf } from '#test/bench/writes.ts';

const watched = ['create-contact', 'patch-name', 'patch-field', 'add-address', 'stage', 'create-task'] as const;
const times = 5;
const tolerance = 0.1;
/** Write units that a change may cost whatever docs/costs.md says. */
const limits: Partial<Record<(typeof watched)[number], number>> = { 'patch-field': 18 };
/** A sweep may fall into a round. */
const maxRounds = 3;

test('a change costs the write units of docs/costs.md: npm run bench units notes others', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'crm-costs-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  await using metered = await startMetered(dataDir);
  const { meter, baseUrl } = metered;
  const writes = await writesOf(await demoClient(dataDir, baseUrl));
  for (const name of watched) await writes[name].work(0);
  await settled(meter);
  for (const name of watched) {
    const noted = notedWriteUnits(writes[name].what);
    expect(noted, name).toBeLessThanOrEqual(limits[name] ?? Number.POSITIVE_INFINITY);
    const deviations: number[] = [];
    while (deviations.length < maxRounds && !deviations.some((one) => Math.abs(one) <= tolerance)) {
      const from = deviations.length * times;
      for (let index = from + 1; index <= from + times; index += 1) await writes[name].work(index);
      const { writeUnits } = await settled(meter);
      deviations.push(writeUnits / times / noted - 1);
    }
    const least = deviations.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0];
    expect(least, `${name} differs from ${noted} write units by`).toBeLessThanOrEqual(tolerance);
    expect(least, `${name} differs from ${noted} write units by`).toBeGreaterThanOrEqual(-tolerance);
  }
});
