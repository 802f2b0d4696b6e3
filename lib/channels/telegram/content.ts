import type { TextEntity } from '#lib/entities/message.ts';
import { unnamedMedia } from './media.ts';

/** A part of a message as Telegram tells of it. */
type Part = Record<string, unknown>;

/** The files of a message, which are its attachments. An animation is told as a document, too. */
export const fileKinds = Object.keys(unnamedMedia) as (keyof typeof unnamedMedia)[];

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null;
const textIn = (part: unknown, name: string): string =>
  isPart(part) && (typeof part[name] === 'string' || typeof part[name] === 'number') ? String(part[name]) : '';
const textsIn = (part: unknown, name: string, ...names: string[]): string[] =>
  isPart(part) && Array.isArray(part[name])
    ? part[name].flatMap((one) => names.map((each) => textIn(one, each)).find(Boolean) ?? [])
    : [];
const joined = (separator: string, ...texts: string[]) => texts.filter((text) => text !== '').join(separator);
const named = (part: unknown) => joined(' ', textIn(part, 'first_name'), textIn(part, 'last_name'));
const point = (part: unknown) => joined(', ', textIn(part, 'latitude'), textIn(part, 'longitude'));

/** Where the words of a rich message are, in their order. */
const wordKeys = ['label', 'summary', 'text', 'alternative_text', 'expression', 'blocks', 'items', 'cells', 'caption'];

/** The words of a rich message, a line for each block. */
function wordsIn(part: unknown): string {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return joined(part.some((one) => typeof one === 'string') ? '' : '\n', ...part.map(wordsIn));
  return isPart(part) ? joined('\n', ...wordKeys.map((key) => wordsIn(part[key]))) : '';
}

/**
 * Kinds of content other than text and files, each with its text after the name of the kind
 * (https://core.telegram.org/bots/api#message). The first kind that a message has is its content.
 */
const contents: Record<string, (part: unknown) => string> = {
  poll: (part) =>
    joined('\n', textIn(part, 'question'), ...textsIn(part, 'options', 'text').map((text) => `- ${text}`)),
  checklist: (part) =>
    joined('\n', textIn(part, 'title'), ...textsIn(part, 'tasks', 'text').map((text) => `- ${text}`)),
  web_app_data: (part) => textIn(part, 'data'),
  users_shared: (part) => textsIn(part, 'users', 'username', 'first_name', 'user_id').join(', '),
  chat_shared: (part) => textIn(part, 'title') || textIn(part, 'chat_id'),
  invoice: (part) => textIn(part, 'title'),
  successful_payment: (part) => textIn(part, 'invoice_payload'),
  game: (part) => textIn(part, 'title'),
  dice: () => '',
  story: () => '',
  paid_media: () => '',
  passport_data: () => '',
  giveaway: (part) => textIn(part, 'prize_description'),
  giveaway_winners: (part) => textIn(part, 'prize_description'),
};

/** Kinds of content whose text needs no name before it. */
const plainContents: Record<string, (part: unknown) => string> = {
  venue: (part) =>
    joined(
      '\n',
      joined(', ', textIn(part, 'title'), textIn(part, 'address')),
      isPart(part) ? point(part['location']) : '',
    ),
  location: point,
  contact: (part) => joined(', ', named(part), textIn(part, 'phone_number')),
};

/** Service updates about a chat or a member, which are no messages. */
const serviceKinds = new Set([
  ...['new_chat_members', 'left_chat_member', 'new_chat_title', 'new_chat_photo', 'delete_chat_photo'],
  ...['group_chat_created', 'supergroup_chat_created', 'channel_chat_created', 'chat_owner_left', 'chat_owner_changed'],
  ...['migrate_to_chat_id', 'migrate_from_chat_id', 'message_auto_delete_timer_changed', 'pinned_message'],
  ...['community_chat_added', 'community_chat_removed', 'community_chat_joined', 'managed_bot_created'],
  ...['connected_website', 'write_access_allowed', 'proximity_alert_triggered', 'boost_added', 'chat_background_set'],
  ...['refunded_payment', 'gift', 'gift_upgrade_sent', 'unique_gift', 'giveaway_created', 'giveaway_completed'],
  ...['paid_message_price_changed', 'direct_message_price_changed', 'user_shared'],
  ...['checklist_tasks_done', 'checklist_tasks_added', 'poll_option_added', 'poll_option_deleted'],
  ...['forum_topic_created', 'forum_topic_edited', 'forum_topic_closed', 'forum_topic_reopened'],
  ...['general_forum_topic_hidden', 'general_forum_topic_unhidden'],
  ...['video_chat_scheduled', 'video_chat_started', 'video_chat_ended', 'video_chat_participants_invited'],
  ...['voice_chat_scheduled', 'voice_chat_started', 'voice_chat_ended', 'voice_chat_participants_invited'],
  ...['suggested_post_approved', 'suggested_post_approval_failed', 'suggested_post_declined'],
  ...['suggested_post_paid', 'suggested_post_refunded'],
]);

/** Fields around the content: author, place, and the message that it answers or forwards. */
const envelope = new Set([
  ...['message_id', 'message_thread_id', 'direct_messages_topic', 'from', 'sender_chat', 'sender_tag', 'receiver_user'],
  ...['sender_boost_count', 'sender_business_bot', 'guest_bot_caller_user', 'guest_bot_caller_chat', 'guest_query_id'],
  ...['ephemeral_message_id', 'date', 'edit_date', 'business_connection_id', 'chat', 'via_bot', 'author_signature'],
  ...['is_topic_message', 'is_automatic_forward', 'is_from_offline', 'is_paid_post', 'has_protected_content'],
  ...['reply_to_message', 'external_reply', 'quote', 'reply_to_story', 'reply_to_checklist_task_id'],
  ...['reply_to_poll_option_id', 'forward_origin', 'forward_from', 'forward_from_chat', 'forward_from_message_id'],
  ...['forward_signature', 'forward_sender_name', 'forward_date', 'media_group_id', 'paid_star_count', 'effect_id'],
  ...['link_preview_options', 'suggested_post_info', 'reply_markup', 'entities', 'caption', 'caption_entities'],
  ...['show_caption_above_media', 'has_media_spoiler'],
]);

/** Limit for the kept data of a message. */
const maxDataBytes = 16_384;

/** Content of a message. */
export interface Content {
  body: string;
  /** Data that the text cannot hold, by kind; null if there are none. */
  data: Part | null;
}

/** The content of what is no text and no file, by its kind and what Telegram says of it. */
export function contentOf(kind: string, part: unknown): Content {
  const plain = plainContents[kind];
  const body = plain ? plain(part) || `[${kind}]` : joined(' ', `[${kind}]`, contents[kind]?.(part) ?? '');
  return { body, data: bounded({ [kind]: part }) };
}

function bounded(data: Part): Part | null {
  const text = JSON.stringify(data);
  return Buffer.byteLength(text) > maxDataBytes ? null : (JSON.parse(text) as Part);
}

/** The content of a bot's message; undefined for what nobody has written. */
export function contentIn(message: Part): Content | undefined {
  const content = bare(message);
  // Under a text may stand buttons, which carry addresses.
  const { reply_markup: markup } = message;
  return content && isPart(markup) ? { ...content, data: bounded({ ...content.data, reply_markup: markup }) } : content;
}

function bare(message: Part): Content | undefined {
  const { text, caption, sticker, rich_message: rich } = message;
  if (typeof text === 'string') return { body: text, data: null };
  if (rich !== undefined) return { body: wordsIn(rich) || '[rich_message]', data: null };
  const words = typeof caption === 'string' ? caption : '';
  if (fileKinds.some((kind) => message[kind] !== undefined)) return { body: words, data: null };
  if (sticker !== undefined) return { body: textIn(sticker, 'emoji') || '[sticker]', data: null };
  const known = [...Object.keys(plainContents), ...Object.keys(contents)].find((kind) => message[kind] !== undefined);
  const names = Object.keys(message);
  if (known === undefined && names.some((name) => serviceKinds.has(name))) return undefined;
  // A newer kind is shown by its name.
  const kind = known ?? names.find((name) => !envelope.has(name) && message[name] !== undefined);
  if (kind === undefined) return { body: words || '[message]', data: null };
  const content = contentOf(kind, message[kind]);
  return words === '' ? content : { ...content, body: words };
}

/** Whether a message is of a place that still moves. */
export const isLive = ({ data }: { data: Part | null }): boolean =>
  isPart(data?.['location']) && data['location']['live_period'] !== undefined;

/** The entities of a text as Telegram tells of them. */
export function entitiesOf(told: readonly unknown[]): TextEntity[] {
  return told.filter(isPart).flatMap((one) => {
    const { type, offset, length, url, user } = one;
    if (typeof type !== 'string' || typeof offset !== 'number' || typeof length !== 'number') return [];
    const address = isPart(user) ? `${mention}${textIn(user, 'id')}` : typeof url === 'string' ? url : null;
    return [{ type, offset, length, url: address }];
  });
}

/** The address of a person who has no username. */
export const mention = 'tg://user?id=';
