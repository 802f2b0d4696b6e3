import { expect, test } from 'vitest';
import { newWorkspace } from '#test/workspace.ts';
import { consult, Oracle } from './oracle.ts';

const seeds = [11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
const searchesPerSeed = 1000;

test.each(seeds)(
  'searches of a changing copy find what an evaluation in memory finds: seed %i',
  async (seed) => {
    const oracle = new Oracle(await newWorkspace(), seed);
    await oracle.begin(1050);
    await consult(oracle, searchesPerSeed);
    expect(oracle.renewals).toBeGreaterThan(10);
    expect(oracle.kills).toBeGreaterThan(5);
  },
  3_600_000,
);
