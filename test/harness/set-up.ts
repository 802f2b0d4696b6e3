import { afterAll, afterEach, inject, vi } from 'vitest';
import { takeAnswers } from '#test/client.ts';
import { beginFile } from '#test/harness.ts';

await beginFile(inject('assembly'), inject('folder'));

afterEach(({ task }) => {
  const answers = takeAnswers();
  if (task.result?.state === 'fail' && answers !== '')
    console.error(`The last answers before the failure:\n${answers}`);
});

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});
