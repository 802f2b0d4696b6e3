import { id } from '#lib/core/schema.ts';
import { userPollTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { pollUser } from '#lib/transport/receiving/user-poll.ts';

/** Asks Telegram and X what has happened in the accounts of persons, each while nobody else uses the account. */
export const handler = queueWorker(
  {
    summary: 'What Telegram users and X accounts have received and written is asked for and stored',
    trigger: { queue: 'user-polls', batchSize: 1, maxConcurrency: 10 },
    readsUntrusted: true,
    needs: ['decrypt:account', 'encrypt:account', 'telegram-app'],
    timeoutSeconds: userPollTimeoutSeconds,
  },
  (messages) => receive(messages, { accountId: id() }, (tenant, { accountId }) => pollUser(tenant, accountId)),
);
