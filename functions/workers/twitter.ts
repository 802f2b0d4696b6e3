import { twitter } from '#lib/channels/twitter/channel.ts';
import { openTwitter } from '#lib/channels/twitter/sender.ts';
import { handleSignals } from '#lib/sending/signals.ts';
import { senderTimeoutSeconds } from '#lib/timeouts.ts';
import { queueWorker } from '#lib/worker/queue.ts';

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
