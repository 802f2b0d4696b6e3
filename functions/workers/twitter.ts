import { openTwitter } from '#lib/channels/twitter/sender.ts';
import { senderTimeoutSeconds } from '#lib/core/timeouts.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { handleSignals } from '#lib/transport/sending/signals.ts';

/** Sends the due messages of the accounts that its timers name, one sender per account. */
export const handler = queueWorker(
  {
    summary: 'Queued X messages are sent',
    trigger: { queue: twitter.name, batchSize: 10, maxConcurrency: 20 },
    readsUntrusted: true,
    needs: ['decrypt:account', 'encrypt:account'],
    timeoutSeconds: senderTimeoutSeconds,
  },
  (messages) => handleSignals(messages, twitter.name, openTwitter),
);
