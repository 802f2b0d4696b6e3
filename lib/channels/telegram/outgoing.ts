import * as v from 'valibot';
import { invalidField, unknownReference } from '#lib/core/problem.ts';
import { checked, choice, idInput, line, listInput, pattern } from '#lib/core/schema.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import type { Button } from '#lib/entities/job.ts';
import { placed } from '#lib/messages/entities.ts';
import type { NewJob } from '#lib/messages/jobs/store.ts';
import { getMessage } from '#lib/messages/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { MalformedHtml, readHtml } from './html.ts';

/** Telegram takes 64 bytes. */
const maxDataBytes = 48;
const button = v.pipe(
  v.object({
    text: line(64),
    url: v.optional(
      v.pipe(
        pattern(/^(https?|tg):\/\/\S+$/, 2048, 'an address that begins with https://, http:// or tg://'),
        v.examples(['https://shop.example/orders/42']),
      ),
    ),
    data: v.optional(
      v.pipe(
        line(maxDataBytes),
        checked(
          'max_bytes',
          (data: string) => Buffer.byteLength(data) <= maxDataBytes,
          `must have at most ${maxDataBytes} bytes`,
        ),
      ),
    ),
  }),
  checked(
    'required',
    ({ url, data }: Button) => (url === undefined) !== (data === undefined),
    'a button has either url or data',
  ),
  v.title('Button'),
  v.examples([{ text: 'Yes, please', data: 'order:42' }]),
);

/** Optional fields of a Telegram message, in addition to its text. */
export const richFields = {
  replyToMessageId: v.optional(v.nullable(idInput())),
  format: v.optional(choice(['plain', 'html'])),
  buttons: v.optional(listInput(listInput(button, 8, 'buttons'), 10, 'rows')),
};

type Rich = v.InferOutput<v.ObjectSchema<typeof richFields, undefined>> & {
  text?: string | undefined;
  attachments?: readonly number[] | undefined;
};

/**
 * Returns the fields of a job for them. Raises 400 for HTML that is malformed or shows nothing, for a message that cannot be answered, and
 * for buttons that nobody would see.
 */
export async function enriched(
  tx: UnitOfWork,
  { id: accountId, kind }: StoredAccount,
  { replyToMessageId, format, buttons = [], text, attachments = [] }: Rich,
): Promise<Pick<NewJob, 'text' | 'entities' | 'buttons' | 'repliesTo'>> {
  if (buttons.length > 0 && kind !== 'bot') throw invalidField('buttons', 'not_allowed', `a ${kind} sends no buttons`);
  if (buttons.length > 0 && attachments.length > 1)
    throw invalidField('buttons', 'not_allowed', 'several files have no buttons');
  const repliesTo = replyToMessageId ? await answered(tx, accountId, replyToMessageId) : undefined;
  return {
    ...(format === 'html' && text !== undefined ? wordsOf(text) : { text: text ?? '' }),
    ...(buttons.length > 0 && { buttons }),
    ...(repliesTo && { repliesTo }),
  };
}

function wordsOf(html: string): Pick<NewJob, 'text' | 'entities'> {
  try {
    const { text, entities } = readHtml(html);
    if (text.trim() === '') throw invalidField('text', 'required', 'text has no words besides its tags');
    return { text: text.trim(), entities: placed(text, entities) };
  } catch (error) {
    if (error instanceof MalformedHtml) throw invalidField('text', 'invalid_format', error.message);
    throw error;
  }
}

async function answered(tx: UnitOfWork, accountId: number, id: number): Promise<NewJob['repliesTo']> {
  const message = await getMessage(tx, id).catch(() => undefined);
  if (message?.accountId !== accountId || message.channel !== telegram.name) throw unknownReference('replyToMessageId');
  if (!message.atPlatform)
    throw invalidField(
      'replyToMessageId',
      'unknown_reference',
      'replyToMessageId must be a message that has reached Telegram',
    );
  return { id, atPlatform: message.atPlatform };
}
