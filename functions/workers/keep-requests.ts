import { workerTimeoutSeconds } from '#lib/core/timeouts.ts';
import { logWorker } from '#lib/queues/log-worker.ts';
import { keepRequests } from '#lib/workspaces/keep-request.ts';
import { requestLinePattern } from '#lib/workspaces/request-line.ts';

/** Writes the requests that functions have logged into the request logs of workspaces. */
export const handler = logWorker(
  {
    summary: 'Requests are written to the request log of their workspace',
    trigger: { log: 'api', pattern: requestLinePattern },
    timeoutSeconds: workerTimeoutSeconds,
    memoryMb: 256,
  },
  keepRequests,
);
