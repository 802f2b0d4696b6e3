import { inject } from 'vitest';

// Tests may call lib/ as an operator's process would: on the running system.
Object.assign(process.env, inject('environment'), {
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  POWERTOOLS_METRICS_DISABLED: 'true',
});
