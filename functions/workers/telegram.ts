import type { SQSEvent } from 'aws-lambda';
import { handleSignals } from '#lib/sending/signals.ts';
import { openTelegram } from '#lib/telegram/sender.ts';
import { worker } from '#lib/worker.ts';

/** Sends the due messages of the accounts that it is told of, one sender per account. */
export const handler = worker(
  {
    summary: 'Queued Telegram messages are sent',
    trigger: { queue: 'telegram', batchSize: 10, maxConcurrency: 60 },
    readsStrangers: true,
    needs: ['decrypt:account'],
    timeoutSeconds: 40,
  },
  (event: SQSEvent) => handleSignals(event, 'telegram', openTelegram),
);
