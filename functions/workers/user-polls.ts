import { pollUser } from '#lib/receiving/user-poll.ts';
import { id } from '#lib/schema.ts';
import { userPollTimeoutSeconds } from '#lib/timeouts.ts';
import { receive } from '#lib/timers/receive.ts';
import { queueWorker } from '#lib/worker/queue.ts';

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
