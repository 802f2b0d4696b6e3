import * as v from 'valibot';
import { contentIn, entitiesOf, fileKinds, isLive } from '#lib/channels/telegram/content.ts';
import { unnamedMedia } from '#lib/channels/telegram/media.ts';
import { secondMs, timestamp } from '#lib/core/clock.ts';
import { maxBotFileBytes, telegram } from '#lib/core/telegram-channel.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import type { TextEntity } from '#lib/entities/message.ts';
import { noteWritten } from '#lib/messages/block.ts';
import { placed } from '#lib/messages/entities.ts';
import { findMessageAt } from '#lib/messages/store.ts';
import { noteUsername } from '#lib/messages/username.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { followBlock } from '#lib/transport/sending/blocked.ts';
import { IncomingMessage, receiveMessage } from './message.ts';
import { take } from './take.ts';

const id = () => v.pipe(v.number(), v.safeInteger());
const names = {
  first_name: v.optional(v.string()),
  last_name: v.optional(v.string()),
  username: v.optional(v.string()),
};
const Chat = v.object({ id: id(), type: v.string(), ...names });
const User = v.object({ id: id(), is_bot: v.optional(v.boolean(), false), ...names });
const epochSeconds = () => v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(253_402_300_799));

/** Fields of a file of any kind (https://core.telegram.org/bots/api#document). */
const TelegramFile = v.object({
  file_id: v.string(),
  file_unique_id: v.optional(v.string()),
  file_name: v.optional(v.string()),
  mime_type: v.optional(v.string()),
  file_size: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
});

/** A message as Telegram tells of it (https://core.telegram.org/bots/api#message); `loose`, for what it carries. */
const TelegramMessage = v.looseObject({
  message_id: id(),
  date: epochSeconds(),
  edit_date: v.optional(epochSeconds()),
  chat: Chat,
  from: v.optional(User),
  entities: v.optional(v.array(v.unknown()), []),
  caption_entities: v.optional(v.array(v.unknown()), []),
  reply_to_message: v.optional(v.object({ message_id: id() })),
  contact: v.optional(v.looseObject({ phone_number: v.optional(v.string()), user_id: v.optional(id()) })),
  ...v.entriesFromList(fileKinds, v.optional(v.union([TelegramFile, v.array(TelegramFile)]))),
});
type TelegramMessage = v.InferOutput<typeof TelegramMessage>;

/** A button under a message of the bot that somebody has pressed (https://core.telegram.org/bots/api#callbackquery). */
const CallbackQuery = v.object({
  id: v.string(),
  from: User,
  message: v.optional(v.looseObject({ message_id: id(), chat: Chat })),
  data: v.optional(v.string(), ''),
});

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
  callback_query: v.optional(CallbackQuery),
});
type TelegramUpdate = v.InferOutput<typeof Update>;

/**
 * Stores what a bot is told of: a message, an edit, a pressed button, or that somebody has blocked it. What is there already changes
 * nothing; groups, channels and what nobody has written are left. What cannot be read or stored is logged and counted, and never comes
 * again. Throws for what may pass.
 */
export const receiveUpdate = (tenant: Tenant, accountId: number, given: unknown): Promise<void> =>
  take(tenant, { channel: telegram.name, accountId }, (tx) => store(tx, accountId, v.parse(Update, given)));

/** Returns the button press that an update tells of, which Telegram wants answered; undefined for another one. */
export function pressIn(given: unknown): string | undefined {
  const update = v.safeParse(v.object({ callback_query: v.object({ id: v.string() }) }), given);
  return update.success ? update.output.callback_query.id : undefined;
}

async function store(tx: UnitOfWork, accountId: number, update: TelegramUpdate): Promise<boolean> {
  const message = update.message ?? update.edited_message;
  const { update_id: updateId, my_chat_member: member, callback_query: pressed } = update;
  const { chat } = message ?? member ?? pressed?.message ?? {};
  if (chat?.type !== 'private') return false;
  if (pressed) return press(tx, accountId, pressed, updateId);
  if (message && !(await receive(tx, accountId, message, update.message === undefined))) return false;
  if (update.message)
    await noteWritten(tx, { accountId, userId: String(chat.id) }, { at: at(update.message.date), updateId });
  if (!message && member) await follow(tx, accountId, member, updateId);
  return true;
}

const at = (seconds: number) => timestamp(new Date(seconds * secondMs));

/** Matches the text of the start button of a bot, with the parameter of its link. */
const start = /^\/start(@\w+)?( [\w-]{1,64})?$/;

/** Returns false for what nobody has written. */
async function receive(tx: UnitOfWork, accountId: number, message: TelegramMessage, isEdit: boolean): Promise<boolean> {
  const { chat, from, date, edit_date: editDate, contact, reply_to_message: repliedTo } = message;
  const content = contentIn(message);
  if (!content || from?.is_bot) return false;
  const { data } = content;
  const entities = entitiesOf([...message.entities, ...message.caption_entities]);
  const body = shownBody(content.body, entities);
  await receiveMessage(
    tx,
    v.parse(IncomingMessage, {
      channel: telegram.name,
      accountId,
      from: senderOf(chat),
      body,
      entities: placed(body, entities),
      data,
      threadId: null,
      sentAt: at(date),
      platformMessageId: String(message.message_id),
      ...(repliedTo && { repliesTo: String(repliedTo.message_id) }),
      forwardedFrom: originOf(message['forward_origin']),
      ...(editDate !== undefined && { editedAt: at(editDate) }),
      attachments: filesOf(message, accountId),
      ...(contact?.user_id === chat.id && { ownPhone: contact.phone_number }),
      news: isEdit ? (isLive({ data }) ? 'update' : 'edit') : 'message',
      isAnswer: !start.test(body),
    }),
  );
  return true;
}

/** In a private chat that is the other person, whoever has caused the message. */
const senderOf = (person: v.InferOutput<typeof Chat>) => ({
  telegramUserId: person.id,
  username: person.username ?? null,
  name: nameOf(person),
});

const nameOf = ({ first_name: first, last_name: last }: Pick<v.InferOutput<typeof User>, 'first_name' | 'last_name'>) =>
  [first, last].filter(Boolean).join(' ') || null;

/** A link behind nothing that is seen is shown itself. */
const shownBody = (body: string, entities: readonly TextEntity[]) =>
  /^[\p{Cf}\p{Z}\u2800\u3164\s]+$/u.test(body) ? entities.flatMap(({ url }) => url ?? []).join('\n') || body : body;

const Origin = v.object({
  sender_user: v.optional(v.object(names)),
  sender_user_name: v.optional(v.string()),
  sender_chat: v.optional(v.object({ title: v.optional(v.string()), ...names })),
  chat: v.optional(v.object({ title: v.optional(v.string()), ...names })),
});

/** Returns the name of the author from whom a message is forwarded (https://core.telegram.org/bots/api#messageorigin). */
function originOf(given: unknown): string | null {
  const origin = v.safeParse(Origin, given);
  if (!origin.success) return null;
  const { sender_user: user, sender_user_name: name, sender_chat: group, chat = group } = origin.output;
  return name ?? (user && nameOf(user)) ?? chat?.title ?? (chat && nameOf(chat)) ?? null;
}

function filesOf(message: TelegramMessage, accountId: number): v.InferInput<typeof IncomingMessage>['attachments'] {
  const kind = fileKinds.find((name) => message[name] !== undefined);
  // A picture has several sizes, the largest last.
  const file = kind && [message[kind]].flat().at(-1);
  if (!file) return undefined;
  const { fileName, contentType } = unnamedMedia[kind];
  const described = {
    fileName: file.file_name ?? fileName,
    contentType: file.mime_type ?? contentType,
    sizeBytes: file.file_size,
    ref: file.file_id,
    atPlatform: file.file_unique_id ?? file.file_id,
  };
  return { files: [described], maxBytes: maxBotFileBytes, source: { kind: 'bot', accountId } };
}

/** Stores a pressed button as what the person has answered. Emits message.button_pressed. */
async function press(
  tx: UnitOfWork,
  accountId: number,
  { from, message, data }: v.InferOutput<typeof CallbackQuery>,
  updateId: number,
): Promise<boolean> {
  if (!message || from.is_bot) return false;
  // Presses have no number of their own among the messages of a chat, which have fewer digits.
  const platformMessageId = `9${String(updateId).padStart(19, '0')}`;
  const known = { accountId, userId: String(message.chat.id), messageId: platformMessageId };
  if (await findMessageAt(tx, known)) return true;
  const { contactId, messageId } = await receiveMessage(
    tx,
    v.parse(IncomingMessage, {
      channel: telegram.name,
      accountId,
      from: senderOf(message.chat),
      body: textOfButton(message, data) ?? data,
      data: { button: { data } },
      threadId: null,
      platformMessageId,
      repliesTo: String(message.message_id),
    }),
  );
  await noteWritten(tx, { accountId, userId: String(message.chat.id) }, { at: tx.now, updateId });
  const event = { message_id: String(messageId), contact_id: String(contactId), account_id: String(accountId), data };
  tx.emit({ kind: 'message.button_pressed', subject: `contact/${contactId}`, data: event });
  return true;
}

const Keyboard = v.object({
  inline_keyboard: v.array(v.array(v.object({ text: v.string(), callback_data: v.optional(v.string()) }))),
});

/** Telegram tells of the whole message, as long as it has it. */
function textOfButton({ reply_markup: markup }: Record<string, unknown>, data: string): string | undefined {
  const keyboard = v.safeParse(Keyboard, markup);
  const buttons = keyboard.success ? keyboard.output.inline_keyboard.flat() : [];
  return buttons.find(({ callback_data: one }) => one === data)?.text;
}

/** `kicked`: the person has blocked the bot; `member`: no longer. */
async function follow(
  tx: UnitOfWork,
  accountId: number,
  { date, chat, new_chat_member: { status } }: v.InferOutput<typeof MemberUpdated>,
  updateId: number,
): Promise<void> {
  if (status !== 'kicked' && status !== 'member') return;
  const { id: telegramUserId, username } = chat;
  await noteUsername(tx, telegram.name, { telegramUserId, username: username ?? null }, at(date));
  const person = { telegramUserId, ...(username !== undefined && { username }) };
  const blocker = { channel: telegram.name, accountId, person };
  await followBlock(tx, blocker, status === 'kicked', { at: at(date), updateId });
}
