import * as v from 'valibot';
import { timestamp } from '#lib/core/clock.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import { findMessageAt } from '#lib/messages/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { settleSeen } from '#lib/transport/sending/seen.ts';
import { IncomingMessage, receiveMessage } from './message.ts';

const userId = twitter.identity.received;

/** Fields that are requested from X for each event, and for its people and media. */
export const wanted = {
  'dm_event.fields':
    'id,text,event_type,created_at,sender_id,dm_conversation_id,participant_ids,attachments,entities,referenced_tweets',
  expansions: 'sender_id,participant_ids,attachments.media_keys',
  'user.fields': 'id,name,username',
  'media.fields': 'media_key,type,url,preview_image_url,variants',
};

/** A direct message as X tells of it (https://docs.x.com/x-api/direct-messages/get-dm-events). */
const DmEvent = v.object({
  id: v.string(),
  event_type: v.optional(v.string(), 'MessageCreate'),
  text: v.optional(v.string(), ''),
  created_at: v.optional(v.pipe(v.string(), v.isoTimestamp())),
  sender_id: userId,
  /** IDs of both people, in a conversation of two. */
  dm_conversation_id: v.optional(v.string()),
  participant_ids: v.optional(v.array(v.string()), []),
  attachments: v.optional(v.object({ media_keys: v.optional(v.array(v.string()), []) })),
  entities: v.optional(v.object({ urls: v.optional(v.array(v.unknown()), []) })),
  /** Posts that are shared. */
  referenced_tweets: v.optional(v.array(v.unknown()), []),
});
type DmEvent = v.InferOutput<typeof DmEvent>;

/** A link, which stands in the text by a short address (https://docs.x.com/x-api/fundamentals/data-dictionary). */
const Link = v.object({
  url: v.string(),
  expanded_url: v.fallback(v.optional(v.string()), undefined),
  unwound_url: v.fallback(v.optional(v.string()), undefined),
  display_url: v.fallback(v.optional(v.string(), ''), ''),
  media_key: v.optional(v.string()),
});
const Post = v.object({ id: userId });

const Person = v.object({
  id: userId,
  name: v.fallback(v.optional(v.string()), undefined),
  username: v.fallback(v.optional(v.string()), undefined),
});

const maxUrlCharacters = 2000;
const url = () =>
  v.fallback(v.optional(v.pipe(v.string(), v.maxLength(maxUrlCharacters), v.regex(/^https:\S+$/))), undefined);
const Media = v.object({
  media_key: v.string(),
  type: v.fallback(v.pipe(v.string(), v.regex(/^\w{1,30}$/)), 'media'),
  url: url(),
  preview_image_url: url(),
  variants: v.fallback(
    v.optional(v.array(v.object({ url: url(), bit_rate: v.fallback(v.optional(v.number()), undefined) })), []),
    [],
  ),
});

/** People and media of an answer, without unreadable ones. */
export interface Included {
  people: ReadonlyMap<string, v.InferOutput<typeof Person>>;
  media: ReadonlyMap<string, v.InferOutput<typeof Media>>;
}

export const includedIn = ({
  users = [],
  media = [],
}: {
  users?: unknown[] | undefined;
  media?: unknown[] | undefined;
}): Included => ({
  people: new Map(readable(Person, users).map((person) => [person.id, person])),
  media: new Map(readable(Media, media).map((one) => [one.media_key, one])),
});

const readable = <Schema extends v.GenericSchema>(schema: Schema, all: readonly unknown[]) =>
  all.flatMap((one) => {
    const read = v.safeParse(schema, one);
    return read.success ? [read.output] : [];
  });

interface Told extends Included {
  event: unknown;
}

/**
 * Stores a direct message of the account of `ownId`. Returns whether it is kept: groups are left. What is there already changes
 * nothing. Throws for what cannot be read. For accounts that this process has in hand.
 */
export async function receiveEvent(
  tx: UnitOfWork,
  { accountId, ownId }: { accountId: number; ownId: string },
  { event: given, people, media }: Told,
): Promise<boolean> {
  const event = v.parse(DmEvent, given);
  if (event.event_type !== 'MessageCreate') return false;
  const isOwn = event.sender_id === ownId;
  const peer = peerOf(event, ownId);
  if (peer === undefined) return false;
  const { name, username } = people.get(peer) ?? {};
  const body = bodyOf(event, media);
  const atPlatform = { userId: peer, messageId: event.id };
  const from = { twitterUserId: peer, ...(username !== undefined && { username }) };
  if (isOwn) {
    const sent = await findMessageAt(tx, { accountId, ...atPlatform });
    // A job's, to somebody who is no contact: it is in no conversation.
    if (sent?.contactId === null) return true;
    if (!sent && (await settleSeen(tx, { channel: twitter.name, accountId, to: from, text: event.text, atPlatform })))
      return true;
  }
  await receiveMessage(
    tx,
    v.parse(IncomingMessage, {
      channel: twitter.name,
      accountId,
      from: { ...from, name: name ?? null },
      body,
      threadId: null,
      ...(event.created_at !== undefined && { sentAt: timestamp(new Date(event.created_at)) }),
      platformMessageId: event.id,
      direction: isOwn ? 'outbound' : 'inbound',
    }),
  );
  return true;
}

/** With whom the account speaks; undefined in a group, and of what somebody notes for themselves. */
function peerOf({ sender_id: sender, dm_conversation_id: conversation, participant_ids }: DmEvent, ownId: string) {
  const people = conversation === undefined ? [sender, ...participant_ids] : conversation.split('-');
  const others = new Set(people.filter((id) => id !== ownId));
  const [peer] = others;
  const isOfTwo = others.size === 1 && (conversation === undefined || people.includes(ownId));
  return isOfTwo && (sender === ownId || sender === peer) ? v.parse(userId, peer) : undefined;
}

const maxMedia = 10;

/** Its words, where its links lead to, and of its media and of posts that are shared the URLs. */
function bodyOf(event: DmEvent, media: Included['media']): string {
  const keys = event.attachments?.media_keys ?? [];
  const words = wordsOf(event);
  const posts = readable(Post, event.referenced_tweets)
    .filter(({ id }) => !words.includes(`/status/${id}`))
    .map(({ id }) => `https://x.com/i/status/${id}`);
  return [words, ...posts, ...keys.slice(0, maxMedia).map((key) => addressOf(media.get(key)))]
    .filter((part) => part !== '')
    .join('\n');
}

/** The link of a message's own picture, which is an attachment. */
const ownMedia = /^https?:\/\/(www\.)?(twitter|x)\.com\/(messages\/media|\S+\/(photo|video)\/\d+$)/;

function wordsOf({ text, entities }: DmEvent): string {
  let words = text;
  // The longest first: one may begin another.
  const links = readable(Link, entities?.urls ?? []).toSorted((one, other) => other.url.length - one.url.length);
  for (const { url, expanded_url, unwound_url, display_url, media_key } of links) {
    const address = unwound_url ?? expanded_url;
    const isOwn = media_key !== undefined || display_url.startsWith('pic.') || ownMedia.test(address ?? '');
    if (isOwn) words = words.replaceAll(url, '');
    else if (address !== undefined) words = words.replaceAll(url, () => address);
  }
  return words.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();
}

function addressOf(media: v.InferOutput<typeof Media> | undefined): string {
  if (!media) return '[media]';
  const best = media.variants.toSorted((one, other) => (other.bit_rate ?? 0) - (one.bit_rate ?? 0));
  return media.url ?? best.find(({ url: at }) => at !== undefined)?.url ?? media.preview_image_url ?? `[${media.type}]`;
}
