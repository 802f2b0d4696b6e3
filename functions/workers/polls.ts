import { pollTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { pollBots } from '#lib/transport/receiving/poll.ts';

/**
 * Hears for the bots that poll, workspaces in turn and several in one process; where there is a public address, bots have webhooks
 * instead.
 */
export const handler = queueWorker(
  {
    summary: 'What people write to bots that poll is asked for and stored',
    trigger: { queue: 'polls', batchSize: 10, maxConcurrency: 8 },
    readsUntrusted: true,
    needs: ['change-hooks', 'decrypt:account'],
    timeoutSeconds: pollTimeoutSeconds,
  },
  (messages) => receive(messages, {}, (tenant) => pollBots(tenant)),
);
