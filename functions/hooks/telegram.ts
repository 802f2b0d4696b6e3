import * as v from 'valibot';
import { notFound, Problem } from '#lib/core/problem.ts';
import { hookEndpoint } from '#lib/http/endpoint.ts';
import { findHook, provesItself } from '#lib/messages/accounts/inbound.ts';
import { pressIn, receiveUpdate } from '#lib/transport/receiving/telegram-update.ts';

/** Stores an update for a bot before it answers, so that Telegram repeats an update that a crash has lost. */
export const handler = hookEndpoint(
  {
    method: 'POST',
    path: '/hooks/telegram/{hookId}',
    summary: 'Receive what people write to a Telegram bot',
    scope: 'public',
    isUndocumented: true,
    textParams: ['hookId'],
    status: 200,
    response: v.object({
      ok: v.literal(true),
      method: v.optional(v.string()),
      callback_query_id: v.optional(v.string()),
    }),
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['not_found'],
    needs: ['read-hooks'],
  },
  async ({ path, headers, readBody }) => {
    const hook = await findHook(path['hookId'] ?? '');
    if (hook?.channel !== 'telegram') throw notFound('hook');
    if (!provesItself(hook, headers['x-telegram-bot-api-secret-token']))
      throw new Problem(
        'unauthorized',
        'the secret token is missing or wrong: connect the account again, which registers a new one',
      );
    const update = readBody();
    await receiveUpdate(hook.tenant, hook.accountId, update);
    const pressed = pressIn(update);
    // Telegram takes a call of its API as the answer (https://core.telegram.org/bots/api#making-requests-when-getting-updates).
    return { ok: true as const, ...(pressed !== undefined && answerTo(pressed)) };
  },
);

const answerTo = (id: string) => ({ method: 'answerCallbackQuery', callback_query_id: id });
