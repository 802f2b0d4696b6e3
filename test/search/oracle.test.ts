import { beforeAll, expect, test } from 'vitest';
import { newWorkspace } from '#test/workspace.ts';
import { consult, Oracle } from './oracle.ts';

/** `npm run test:oracles` makes 10,000. */
const searches = 30;

let oracle: Oracle;
beforeAll(async () => {
  oracle = new Oracle(await newWorkspace(), 1);
  await oracle.begin(1050);
});

test('searches of a changing copy find what an evaluation in memory finds', async () => {
  await consult(oracle, searches);
  expect(oracle.renewals).toBeGreaterThan(0);
});
