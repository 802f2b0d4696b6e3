import { afterEach, inject } from 'vitest';
import { takeAnswers } from '#test/client.ts';

// Tests may call lib/ as an operator's process would: on the running system.
Object.assign(process.env, inject('environment'), {
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  POWERTOOLS_METRICS_DISABLED: 'true',
});

afterEach(({ task }) => {
  const answers = takeAnswers();
  if (task.result?.state === 'fail' && answers !== '')
    console.error(`The last answers before the failure:\n${answers}`);
});
