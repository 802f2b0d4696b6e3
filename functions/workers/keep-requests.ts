import { keepRequests } from '#lib/requests/keep.ts';
import { requestLinePattern } from '#lib/requests/line.ts';
import { workerTimeoutSeconds } from '#lib/timeouts.ts';
import { logWorker } from '#lib/worker/log.ts';

/** What functions have logged of requests becomes the request logs of workspaces. */
export const handler = logWorker(
  {
    summary: 'Requests are written to the request log of their workspace',
    trigger: { log: 'api', pattern: requestLinePattern },
    timeoutSeconds: workerTimeoutSeconds,
    memoryMb: 256,
  },
  keepRequests,
);
