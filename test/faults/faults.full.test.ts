import { expect, test } from 'vitest';
import { runRound } from '#test/faults/round.ts';
import { place } from '#test/place.ts';

// `npm run test:faults` does many long rounds, on engines of both kinds; this one is for every day.
const short = { calls: 24, faults: 2, isPoisoned: true, alwaysReplays: true };
const settings = { seed: 2, isProxied: true };

test('kills and a bad network lose no acknowledged change and make none twice', async () => {
  const { differences, kills, changes, succeeded, sent, heard, files } = await runRound(
    { ...short, ...settings },
    place('providerUrl'),
  );
  expect(differences).toEqual([]);
  expect(kills.system).toBeGreaterThanOrEqual(1);
  expect(changes).toBe(29);
  expect(succeeded).toBeGreaterThan(changes);
  expect(sent).toBeGreaterThan(0);
  expect(heard).toBe(12);
  expect(files).toBeGreaterThan(0);
});
