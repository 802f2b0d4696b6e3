import * as v from 'valibot';
import { unnamedMedia } from '#lib/channels/telegram/media.ts';
import { senderName } from '#lib/core/channel-target.ts';
import { secondMs, timestamp } from '#lib/core/clock.ts';
import { maxBotFileBytes, telegram } from '#lib/core/telegram-channel.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { hasWrittenAfter, noteBlock, noteWritten } from '#lib/messages/block.ts';
import { findIdentity } from '#lib/messages/identity.ts';
import { noteUsername } from '#lib/messages/username.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { failQueuedFor } from '#lib/transport/sending/blocked.ts';
import { IncomingMessage, receiveMessage } from './message.ts';
import { take } from './take.ts';

const id = () => v.pipe(v.number(), v.safeInteger());
const names = {
  first_name: v.optional(v.string()),
  last_name: v.optional(v.string()),
  username: v.optional(v.string()),
};
const Chat = v.object({ id: id(), type: v.string(), ...names });
const User = v.object({ id: id(), ...names });
const epochSeconds = () => v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(253_402_300_799));

/** What a file of any kind says of itself (https://core.telegram.org/bots/api#document). */
const TelegramFile = v.object({
  file_id: v.string(),
  file_name: v.optional(v.string()),
  mime_type: v.optional(v.string()),
  file_size: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
});

/** A message as Telegram tells of it (https://core.telegram.org/bots/api#message); `loose`, to know what else is in it. */
const TelegramMessage = v.looseObject({
  message_id: id(),
  date: epochSeconds(),
  edit_date: v.optional(epochSeconds()),
  chat: Chat,
  from: v.optional(User),
  text: v.optional(v.string()),
  caption: v.optional(v.string()),
  sticker: v.optional(v.object({ emoji: v.optional(v.string()) })),
  location: v.optional(v.object({ latitude: v.number(), longitude: v.number() })),
  contact: v.optional(
    v.object({ phone_number: v.string(), first_name: v.string(), last_name: v.optional(v.string()) }),
  ),
  photo: v.optional(v.array(TelegramFile)),
  video: v.optional(TelegramFile),
  animation: v.optional(TelegramFile),
  audio: v.optional(TelegramFile),
  voice: v.optional(TelegramFile),
  video_note: v.optional(TelegramFile),
  document: v.optional(TelegramFile),
});
type TelegramMessage = v.InferOutput<typeof TelegramMessage>;

const MemberUpdated = v.object({
  date: epochSeconds(),
  chat: Chat,
  new_chat_member: v.object({ status: v.string() }),
});

const Update = v.object({
  update_id: id(),
  message: v.optional(TelegramMessage),
  edited_message: v.optional(TelegramMessage),
  my_chat_member: v.optional(MemberUpdated),
});
type TelegramUpdate = v.InferOutput<typeof Update>;

/**
 * Stores what a bot is told of: a message, an edit, or that somebody has blocked it. What is there already changes nothing; groups and
 * channels are left. What cannot be read or stored is logged and counted, and never comes again. Throws for what may pass.
 */
export const receiveUpdate = (tenant: Tenant, accountId: number, given: unknown): Promise<void> =>
  take(tenant, { channel: telegram.name, accountId }, (tx) => store(tx, accountId, v.parse(Update, given)));

async function store(tx: UnitOfWork, accountId: number, update: TelegramUpdate): Promise<boolean> {
  const message = update.message ?? update.edited_message;
  const { chat } = message ?? update.my_chat_member ?? {};
  if (chat?.type !== 'private') return false;
  const { update_id: updateId, my_chat_member: member } = update;
  if (message) await receive(tx, accountId, message);
  if (update.message)
    await noteWritten(tx, { accountId, userId: String(chat.id) }, { at: at(update.message.date), updateId });
  if (!message && member) await follow(tx, accountId, member, updateId);
  return true;
}

const at = (seconds: number) => timestamp(new Date(seconds * secondMs));

async function receive(tx: UnitOfWork, accountId: number, message: TelegramMessage): Promise<void> {
  const { chat, from = chat, date, edit_date: editDate } = message;
  await receiveMessage(
    tx,
    v.parse(IncomingMessage, {
      channel: telegram.name,
      accountId,
      from: { telegramUserId: from.id, username: from.username ?? null, name: nameOf(from) },
      body: bodyOf(message),
      threadId: null,
      sentAt: at(date),
      platformMessageId: String(message.message_id),
      ...(editDate !== undefined && { editedAt: at(editDate) }),
      attachments: filesOf(message, accountId),
    }),
  );
}

const nameOf = ({ first_name: first, last_name: last }: v.InferOutput<typeof User>): string | null =>
  [first, last].filter(Boolean).join(' ') || null;

/** Files, which are a message's attachments: its text may then be empty. */
const mediaKinds = Object.keys(unnamedMedia) as (keyof typeof unnamedMedia)[];

function filesOf(message: TelegramMessage, accountId: number): v.InferInput<typeof IncomingMessage>['attachments'] {
  const kind = mediaKinds.find((name) => message[name] !== undefined);
  // Of a picture there are several sizes, the largest last.
  const file = kind && [message[kind]].flat().at(-1);
  if (!file) return undefined;
  const { fileName, contentType } = unnamedMedia[kind];
  const described = {
    fileName: file.file_name ?? fileName,
    contentType: file.mime_type ?? contentType,
    sizeBytes: file.file_size,
    ref: file.file_id,
  };
  return { files: [described], maxBytes: maxBotFileBytes, source: { kind: 'bot', accountId } };
}

/** What says of a message where it belongs, and what is read of it. */
const beside = new Set(Object.keys(TelegramMessage.entries));

function bodyOf(message: TelegramMessage): string {
  const { text, caption, sticker, location, contact } = message;
  const written = text ?? caption;
  if (written !== undefined) return written;
  if (mediaKinds.some((kind) => message[kind] !== undefined)) return '';
  if (sticker) return sticker.emoji ?? '[sticker]';
  if (location) return `${location.latitude}, ${location.longitude}`;
  if (contact) return `${[contact.first_name, contact.last_name].filter(Boolean).join(' ')}, ${contact.phone_number}`;
  const kind = Object.keys(message).find((name) => !beside.has(name) && typeof message[name] === 'object');
  return `[${kind ?? 'message'}]`;
}

/** `kicked`: the person has blocked the bot; `member`: no longer. */
async function follow(
  tx: UnitOfWork,
  accountId: number,
  { date, chat, new_chat_member: { status } }: v.InferOutput<typeof MemberUpdated>,
  updateId: number,
): Promise<void> {
  if (status !== 'kicked' && status !== 'member') return;
  const userId = String(chat.id);
  await noteUsername(tx, telegram.name, { telegramUserId: chat.id, username: chat.username ?? null }, at(date));
  const peer = { accountId, userId };
  const sender = senderName(telegram.name, { telegramUserId: chat.id });
  const { contact } = sender === undefined ? {} : await findIdentity(tx, sender);
  const isLate = status === 'kicked' && contact && (await hasWrittenAfter(tx, contact, peer, at(date)));
  if (isLate) return;
  const isNews = await noteBlock(tx, peer, status === 'kicked', { at: at(date), updateId });
  if (!isNews || status === 'member') return;
  // A message that is stored at the same time writes its contact: the second of the two looks again.
  if (contact) tx.update(Contacts, contact);
  if (contact) failQueuedFor(tx, { channel: telegram.name, accountId, contactId: contact.id, userId });
}
