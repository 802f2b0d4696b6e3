import * as v from 'valibot';
import { noteReceived } from '#lib/accounts/inbound.ts';
import { telegram } from '#lib/channels/telegram/channel.ts';
import { secondMs, timestamp } from '#lib/clock.ts';
import { log } from '#lib/log.ts';
import { noteBlock } from '#lib/messages/block.ts';
import { findIdentity, senderName } from '#lib/messages/identity.ts';
import { measure } from '#lib/metrics.ts';
import { failQueuedFor } from '#lib/sending/blocked.ts';
import { isOwnReason } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { IncomingMessage, receiveMessage } from './message.ts';

const id = () => v.pipe(v.number(), v.safeInteger());
const names = {
  first_name: v.optional(v.string()),
  last_name: v.optional(v.string()),
  username: v.optional(v.string()),
};
const Chat = v.object({ id: id(), type: v.string(), ...names });
const User = v.object({ id: id(), ...names });
const epochSeconds = () => v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(253_402_300_799));

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
  photo: v.optional(v.array(v.object({ file_size: v.optional(v.number()) }))),
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
export async function receiveUpdate(tenant: Tenant, accountId: number, given: unknown): Promise<void> {
  const place = { ...tenant, accountId };
  try {
    const update = v.parse(Update, given);
    const isOurs = await transact(tenant, system, (tx) => store(tx, accountId, update));
    if (!isOurs) log().info('an update is not of a private chat, or of no kind that is kept', place);
  } catch (error) {
    if (!isOwnReason(error)) throw error;
    log().error('an update cannot be read or stored', { ...place, error: withoutText(error) });
    measure({ channel: telegram.name }, { updatesRefused: 1 });
  }
  await noteReceived(tenant, accountId, timestamp());
}

/** What a validator says quotes what somebody has written. */
const withoutText = (error: unknown) => (v.isValiError(error) ? new Error('it has another form') : (error as Error));

async function store(tx: UnitOfWork, accountId: number, update: TelegramUpdate): Promise<boolean> {
  const message = update.message ?? update.edited_message;
  const { chat } = message ?? update.my_chat_member ?? {};
  if (chat?.type !== 'private') return false;
  if (message) await receive(tx, accountId, message);
  else if (update.my_chat_member) await follow(tx, accountId, update.my_chat_member);
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
      from: { telegramUserId: from.id, username: from.username, name: nameOf(from) },
      body: bodyOf(message),
      threadId: null,
      sentAt: at(date),
      platformMessageId: String(message.message_id),
      ...(editDate !== undefined && { editedAt: at(editDate) }),
    }),
  );
}

const nameOf = ({ first_name: first, last_name: last }: v.InferOutput<typeof User>): string | null =>
  [first, last].filter(Boolean).join(' ') || null;

/** Files, which are a message's attachments: its text may then be empty. */
const media = ['photo', 'video', 'animation', 'audio', 'voice', 'video_note', 'document'];

/** What says of a message where it belongs, and what is read of it. */
const beside = new Set(Object.keys(TelegramMessage.entries));

function bodyOf(message: TelegramMessage): string {
  const { text, caption, sticker, location, contact } = message;
  const written = text ?? caption;
  if (written !== undefined) return written;
  if (media.some((kind) => kind in message)) return '';
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
): Promise<void> {
  if (status !== 'kicked' && status !== 'member') return;
  const userId = String(chat.id);
  const isNews = await noteBlock(tx, { accountId, userId }, status === 'kicked', at(date));
  if (!isNews || status === 'member') return;
  const sender = senderName(telegram.name, { telegramUserId: chat.id });
  const { contact } = sender === undefined ? {} : await findIdentity(tx, sender);
  if (contact) failQueuedFor(tx, { channel: telegram.name, accountId, contactId: contact.id, userId });
}
