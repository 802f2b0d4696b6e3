import * as v from 'valibot';
import { secondMs, shifted } from '#lib/clock.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import { notLookedUp, unanswered, waitFor } from '#lib/jobs/outcomes.ts';
import type { Confirm, Outcome, Sender } from '#lib/jobs/sender.ts';
import { type BotAnswer, type BotApi, openBotApi, type Refusal } from './bot-api.ts';
import { fileCalls } from './bot-form.ts';
import { telegram } from './channel.ts';

const unknownRecipient = 'recipient unknown: a bot can write only to people who wrote to it first';

/** What a bot needs to know of a job besides what stands in it. */
interface Lookups {
  /** The chat with the recipient, or why nothing is sent; the Bot API knows no usernames of people. */
  chatIdOf(job: StoredJob): Promise<number | Outcome | undefined>;
  attachmentsOf(job: StoredJob): Promise<StoredAttachment[]>;
}

/** A bot, which writes by HTTP. */
export function openBot(token: string, { chatIdOf, attachmentsOf }: Lookups): Sender {
  const bot = openBotApi(token);
  return {
    policy: telegram.kinds.bot.pacing,
    maxRepeats: 0,
    async send(job, confirm) {
      const chatId = await chatIdOf(job).catch(notLookedUp);
      if (typeof chatId === 'object') return chatId;
      if (chatId === undefined) return { kind: 'failed', error: unknownRecipient };
      if (job.attachmentCount > 0) return sendFiles(bot, chatId, job, await attachmentsOf(job), confirm);
      return outcomeOf(chatId, await bot.call('sendMessage', { chat_id: chatId, text: job.text }));
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

/** Together they take no longer than an invocation has left for its last attempt. */
const budgetMs = 24 * secondMs;
/** With less than that left the next file waits for another attempt. */
const leastMs = 12 * secondMs;

/** Sends what is not confirmed yet, call by call; the text goes with the first file. */
async function sendFiles(
  bot: BotApi,
  chatId: number,
  { text, confirmedFiles }: StoredJob,
  attachments: readonly StoredAttachment[],
  confirm: Confirm,
): Promise<Outcome> {
  const gone = attachments.find(({ key }) => key === null);
  if (gone) return { kind: 'failed', error: `the bytes of attachment ${gone.id} are gone` };
  const deadlineMs = Date.now() + budgetMs;
  let at = 0;
  for (const { method, count, form } of fileCalls(attachments)) {
    const caption = at === 0 ? (text ?? '') : '';
    at += count;
    if (at <= confirmedFiles) continue;
    const leftMs = deadlineMs - Date.now();
    if (leftMs < leastMs) return { kind: 'not-yet', until: shifted(new Date(), secondMs) };
    const { answer, unread } = await bot.upload(method, form(chatId, caption), leftMs);
    // Of a body that ends too early Telegram takes nothing.
    if (unread) return unreadable(unread);
    const outcome = outcomeOf(chatId, answer);
    if (outcome.kind !== 'sent') return outcome;
    await confirm(at);
    // Of one call alone the message is known by one id.
    if (count === 1 && attachments.length === 1) return outcome;
  }
  return { kind: 'sent' };
}

const unreadable = ({ name }: Error): Outcome =>
  name === 'NoSuchKey'
    ? { kind: 'failed', error: 'the bytes of an attachment are gone' }
    : { kind: 'failed-for-now', error: `an attachment could not be read (${name})` };

function outcomeOf(chatId: number, answer: BotAnswer): Outcome {
  if (answer.kind === 'unanswered') return unanswered(answer.exchange);
  return answer.kind === 'refusal' ? refused(answer) : sentAs(chatId, answer);
}

function refused({ error, status, isRevoked, retryAfterSeconds }: Refusal): Outcome {
  if (isRevoked) return { kind: 'lost', state: 'disconnected' };
  if (retryAfterSeconds !== undefined) return waitFor(retryAfterSeconds);
  return status >= 500 ? { kind: 'failed-for-now', error } : { kind: 'failed', error };
}
