import * as v from 'valibot';
import type { StoredJob } from '#lib/entities/job.ts';
import { env } from '#lib/env.ts';
import { notLookedUp, unanswered, waitFor } from '#lib/jobs/outcomes.ts';
import type { Outcome, Sender } from '#lib/jobs/sender.ts';
import { type Answered, openProvider } from '#lib/network/provider.ts';
import { telegram } from './channel.ts';

const defaultWaitSeconds = 30;

const unknownRecipient = 'recipient unknown: a bot can write only to people who wrote to it first';

/** A bot, which writes by HTTP. `chatIdOf` finds the chat with a recipient; the Bot API knows no usernames of people. */
export function openBot(token: string, chatIdOf: (job: StoredJob) => Promise<number | undefined>): Sender {
  const provider = openProvider(env('TELEGRAM_API_ROOT'));
  return {
    policy: telegram.kinds.bot.pacing,
    maxRepeats: 0,
    async send(job) {
      const chatId = await chatIdOf(job).catch(notLookedUp);
      if (typeof chatId === 'object') return chatId;
      if (chatId === undefined) return { kind: 'failed', error: unknownRecipient };
      const exchange = await provider.request(
        'POST',
        `/bot${token}/sendMessage`,
        {},
        { chat_id: chatId, text: job.text },
      );
      return 'error' in exchange ? unanswered(exchange) : outcomeOf(token, exchange);
    },
    close: () => provider.close(),
  };
}

const Answer = v.object({
  description: v.optional(v.string(), 'no reason given'),
  parameters: v.optional(v.object({ retry_after: v.optional(v.pipe(v.number(), v.minValue(0)), defaultWaitSeconds) })),
});

function outcomeOf(token: string, { status, body }: Answered): Outcome {
  const { description, parameters } = v.is(Answer, body)
    ? v.parse(Answer, body)
    : { description: 'no reason given', parameters: undefined };
  // Whoever stands in for Telegram may name the path.
  const error = `Telegram answered ${status}: ${description.replaceAll(token, '…')}`;
  if (status === 200) return { kind: 'sent' };
  if (status === 401 || (status === 404 && description === 'Not Found')) return { kind: 'lost', state: 'disconnected' };
  if (status === 429) return waitFor(parameters?.retry_after ?? defaultWaitSeconds);
  return status >= 500 ? { kind: 'failed-for-now', error } : { kind: 'failed', error };
}
