import { openTelegram } from '#lib/channels/telegram/sender.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { senderTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { handleSignals } from '#lib/transport/sending/signals.ts';

/** Sends the due messages of the accounts that its timers name, one sender per account. */
export const handler = queueWorker(
  {
    summary: 'Queued Telegram messages are sent',
    trigger: { queue: telegram.name, batchSize: 10, maxConcurrency: 50 },
    readsUntrusted: true,
    needs: ['decrypt:account', 'read-files', 'telegram-app'],
    timeoutSeconds: senderTimeoutSeconds,
  },
  (messages) => handleSignals(messages, telegram.name, openTelegram),
);
