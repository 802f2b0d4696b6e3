import { afterAll, afterEach, expect, inject, vi } from 'vitest';
import { takeAnswers } from '#test/client.ts';
import { beginFile } from '#test/harness.ts';

/** An API key, a webhook's signing secret, or the token of a caller or a bot. */
const secretForm = /csk_(live|test)_[A-Za-z0-9]{44}|whsec_[A-Za-z0-9+/]{24}|Bearer |[0-9]{5,}:[\w-]{30,}/;

const { logged } = await beginFile(inject('assembly'), inject('folder'));

afterEach(({ task }) => {
  const answers = takeAnswers();
  if (task.result?.state === 'fail' && answers !== '')
    console.error(`The last answers before the failure:\n${answers}`);
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  expect(logged.filter((line) => secretForm.test(line))).toEqual([]);
});
