import * as v from 'valibot';
import { now } from '#lib/core/clock.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import { notLookedUp, unanswered, waitFor } from '#lib/messages/jobs/outcomes.ts';
import type { Outcome, Sender } from '#lib/messages/jobs/sender.ts';
import { type Album, isNoPhoto, leftUntil, sendAlbums, unreadable } from './albums.ts';
import { type BotAnswer, type BotApi, openBotApi, type Refusal } from './bot-api.ts';
import { type Beside, callOf, parametersOf } from './bot-form.ts';

const unknownRecipient = 'recipient unknown: a bot can write only to people who wrote to it first';

/** Lookups that a bot needs for a job. */
interface Lookups {
  /** The chat with the recipient, or why nothing is sent; the Bot API knows no usernames of people. */
  chatIdOf(job: StoredJob): Promise<number | Outcome | undefined>;
  attachmentsOf(job: StoredJob): Promise<StoredAttachment[]>;
}

/** A bot, which writes by HTTP. */
export function openBot(token: string, { chatIdOf, attachmentsOf }: Lookups): Sender {
  const bot = openBotApi(token);
  return {
    maxRepeats: 0,
    async send(job, confirm) {
      const chatId = await chatIdOf(job).catch(notLookedUp);
      if (typeof chatId === 'object') return chatId;
      if (chatId === undefined) return { kind: 'failed', error: unknownRecipient };
      if (job.attachmentCount > 0)
        return sendAlbums(job, await attachmentsOf(job), confirm, (album, caption, deadlineMs, isFirst) =>
          sendAlbum(bot, chatId, album, { caption, ...(isFirst && parametersOf(job, 'caption_entities')) }, deadlineMs),
        );
      const message = { chat_id: chatId, text: job.text, ...parametersOf(job, 'entities') };
      return outcomeOf(chatId, await bot.call('sendMessage', message));
    },
    close: () => bot.close(),
  };
}

const Sent = v.object({ message_id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)) });

function sentAs(chatId: number, answer: BotAnswer): Outcome {
  const sent = v.safeParse(Sent, answer.kind === 'result' ? answer.result : undefined);
  if (!sent.success) return { kind: 'sent' };
  return { kind: 'sent', atPlatform: { userId: String(chatId), messageId: String(sent.output.message_id) } };
}

/** Sends one album; the text goes with its first file. What Telegram does not take as a photo is sent as a document. */
async function sendAlbum(
  bot: BotApi,
  chatId: number,
  album: Album,
  beside: Beside,
  deadlineMs: number,
): Promise<Outcome> {
  const { method, form } = callOf(album);
  const { answer, unread } = await bot.upload(method, form(chatId, beside), deadlineMs - now());
  if (album.kind === 'photo' && answer.kind === 'refusal' && isNoPhoto(answer.status, answer.error))
    return leftUntil(deadlineMs) === undefined
      ? { kind: 'failed-for-now', error: answer.error }
      : sendAlbum(bot, chatId, { ...album, kind: 'document' }, beside, deadlineMs);
  // Of a body that ends too early Telegram takes nothing.
  return unread ? unreadable(unread) : outcomeOf(chatId, answer);
}

function outcomeOf(chatId: number, answer: BotAnswer): Outcome {
  if (answer.kind === 'unanswered') return unanswered(answer.exchange);
  return answer.kind === 'refusal' ? refused(chatId, answer) : sentAs(chatId, answer);
}

/** Patterns for a 403: the recipient has blocked the bot or is gone, or has not written to it yet. */
const blocked = /bot was blocked|user is deactivated|bot was kicked/i;
const unmet = /can't initiate conversation/i;

function refused(chatId: number, { error, status, isRevoked, retryAfterSeconds }: Refusal): Outcome {
  if (isRevoked) return { kind: 'lost', state: 'disconnected' };
  if (retryAfterSeconds !== undefined) return waitFor(retryAfterSeconds);
  if (status >= 500) return { kind: 'failed-for-now', error };
  const isBlock = blocked.test(error);
  const isForGood = status === 403 && (isBlock || unmet.test(error));
  return { kind: 'failed', error, ...(isForGood && { unreachable: { telegramUserId: chatId, isBlock } }) };
}
