import type { StoredJob } from '#lib/entities/job.ts';
import { notLookedUp, unanswered, waitFor } from '#lib/jobs/outcomes.ts';
import type { Outcome, Sender } from '#lib/jobs/sender.ts';
import { openBotApi, type Refusal } from './bot-api.ts';
import { telegram } from './channel.ts';

const unknownRecipient = 'recipient unknown: a bot can write only to people who wrote to it first';

/** A bot, which writes by HTTP. `chatIdOf` finds the chat with a recipient, or why nothing is sent; the Bot API knows no usernames of people. */
export function openBot(token: string, chatIdOf: (job: StoredJob) => Promise<number | Outcome | undefined>): Sender {
  const bot = openBotApi(token);
  return {
    policy: telegram.kinds.bot.pacing,
    maxRepeats: 0,
    async send(job) {
      const chatId = await chatIdOf(job).catch(notLookedUp);
      if (typeof chatId === 'object') return chatId;
      if (chatId === undefined) return { kind: 'failed', error: unknownRecipient };
      const answer = await bot.call('sendMessage', { chat_id: chatId, text: job.text });
      if (answer.kind === 'unanswered') return unanswered(answer.exchange);
      return answer.kind === 'refusal' ? outcomeOf(answer) : { kind: 'sent' };
    },
    close: () => bot.close(),
  };
}

function outcomeOf({ error, status, isRevoked, retryAfterSeconds }: Refusal): Outcome {
  if (isRevoked) return { kind: 'lost', state: 'disconnected' };
  if (retryAfterSeconds !== undefined) return waitFor(retryAfterSeconds);
  return status >= 500 ? { kind: 'failed-for-now', error } : { kind: 'failed', error };
}
