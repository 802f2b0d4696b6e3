import type { tl } from '@mtcute/core';
import * as v from 'valibot';
import { telegram } from '#lib/channels/telegram/channel.ts';
import type { Difference } from '#lib/channels/telegram/connection.ts';
import { keepPeer } from '#lib/channels/telegram/peer.ts';
import { secondMs, timestamp } from '#lib/clock.ts';
import { findMessageAt, markOutboundRead } from '#lib/messages/store.ts';
import { settleSeen } from '#lib/sending/seen.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { IncomingMessage, receiveMessage } from './message.ts';
import { take } from './take.ts';

/** Telegram itself, which writes codes and warnings. */
const serviceUserId = 777_000;

type Told = Extract<Difference, { kind: 'told' }>;

/** Stores what has happened in the account of a person. What is there already changes nothing. Throws for what may pass. */
export async function receiveDifference(tenant: Tenant, accountId: number, told: Told): Promise<void> {
  const place = { channel: telegram.name, accountId };
  const people = new Map(told.users.flatMap((user) => (user._ === 'user' ? [[user.id, user] as const] : [])));
  const receive = (message: tl.TypeMessage) => take(tenant, place, (tx) => store(tx, accountId, message, people));
  for (const message of told.messages) await receive(message);
  for (const update of told.updates) {
    if (update._ === 'updateNewMessage' || update._ === 'updateEditMessage') await receive(update.message);
    if (update._ === 'updateReadHistoryOutbox') await noteRead(tenant, accountId, update);
  }
}

async function store(
  tx: UnitOfWork,
  accountId: number,
  message: tl.TypeMessage,
  people: ReadonlyMap<number, tl.RawUser>,
): Promise<boolean> {
  if (message._ !== 'message' || message.peerId._ !== 'peerUser') return false;
  const { userId } = message.peerId;
  const person = people.get(userId);
  if (userId === serviceUserId || person?.bot || person?.self) return false;
  if (person?.accessHash !== undefined && !person.min)
    await keepPeer(tx, accountId, { userId, accessHash: person.accessHash.toString() });
  const { id, out: isOwn = false, date, editDate, editHide = false } = message;
  const username = person?.username ?? person?.usernames?.find(({ active }) => active)?.username;
  const body = bodyOf(message);
  const atPlatform = { userId: String(userId), messageId: String(id) };
  if (isOwn) {
    const sent = await findMessageAt(tx, { accountId, ...atPlatform });
    // A job's, to somebody who is no contact: it is in no conversation.
    if (sent?.contactId === null) return true;
    const to = { telegramUserId: userId, ...(username !== undefined && { username }) };
    if (!sent && (await settleSeen(tx, { channel: telegram.name, accountId, to, text: body, atPlatform }))) return true;
  }
  await receiveMessage(
    tx,
    v.parse(IncomingMessage, {
      channel: telegram.name,
      accountId,
      from: {
        telegramUserId: userId,
        ...(person && !person.min && { username: username ?? null }),
        name: nameOf(person),
      },
      body,
      threadId: null,
      sentAt: at(date),
      platformMessageId: String(id),
      direction: isOwn ? 'outbound' : 'inbound',
      // A reaction is no edit that anybody sees.
      ...(editDate !== undefined && !editHide && { editedAt: at(editDate) }),
    }),
  );
  return true;
}

const at = (seconds: number) => timestamp(new Date(seconds * secondMs));

const nameOf = (person: tl.RawUser | undefined): string | null =>
  [person?.firstName, person?.lastName].filter(Boolean).join(' ') || null;

/** As `bodyOf` of a bot's message. */
function bodyOf({ message: text, media }: tl.RawMessage): string {
  if (text !== '' || media === undefined) return text;
  switch (media._) {
    case 'messageMediaPhoto':
      return '';
    case 'messageMediaDocument': {
      const attributes = media.document?._ === 'document' ? media.document.attributes : [];
      const sticker = attributes.find((one) => one._ === 'documentAttributeSticker');
      return sticker ? sticker.alt || '[sticker]' : '';
    }
    case 'messageMediaGeo':
    case 'messageMediaGeoLive':
    case 'messageMediaVenue':
      return media.geo._ === 'geoPoint' ? `${media.geo.lat}, ${media.geo.long}` : '[location]';
    case 'messageMediaContact':
      return `${[media.firstName, media.lastName].filter(Boolean).join(' ')}, ${media.phoneNumber}`;
    default:
      return `[${media._.replace('messageMedia', '').toLowerCase()}]`;
  }
}

async function noteRead(
  tenant: Tenant,
  accountId: number,
  { peer, maxId }: tl.RawUpdateReadHistoryOutbox,
): Promise<void> {
  if (peer._ !== 'peerUser') return;
  const read = { accountId, userId: String(peer.userId), messageId: String(maxId) };
  const readAt = timestamp();
  for (let isLeft = true; isLeft; ) isLeft = await transact(tenant, system, (tx) => markOutboundRead(tx, read, readAt));
}
