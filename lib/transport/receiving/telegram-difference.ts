import type { tl } from '@mtcute/core';
import * as v from 'valibot';
import { fileIn, type MediaFile, userFileRef } from '#lib/channels/telegram/media.ts';
import { keepPeer } from '#lib/channels/telegram/peer.ts';
import type { Difference } from '#lib/channels/telegram/user-connection.ts';
import { secondMs, timestamp } from '#lib/core/clock.ts';
import { maxUserFileBytes, telegram } from '#lib/core/telegram-channel.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { findMessageAt, markOutboundRead } from '#lib/messages/store.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { hasSentFile, settleSeen } from '#lib/transport/sending/seen.ts';
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
  const file = fileIn(message.media);
  const body = bodyOf(message, file);
  const atPlatform = { userId: String(userId), messageId: String(id) };
  if (isOwn) {
    const sent = await findMessageAt(tx, { accountId, ...atPlatform });
    // A job's, to somebody who is no contact: it is in no conversation.
    if (sent?.contactId === null) return true;
    const to = { telegramUserId: userId, ...(username !== undefined && { username }) };
    const isJobs = file
      ? message.fwdFrom === undefined && (await hasSentFile(tx, accountId, userId, file.id))
      : !sent && (await settleSeen(tx, { channel: telegram.name, accountId, to, text: body, atPlatform }));
    if (!sent && isJobs) return true;
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
      attachments: filesOf(file, id, accountId),
      // A reaction is no edit that anybody sees.
      ...(editDate !== undefined && !editHide && { editedAt: at(editDate) }),
    }),
  );
  return true;
}

const at = (seconds: number) => timestamp(new Date(seconds * secondMs));

const nameOf = (person: tl.RawUser | undefined): string | null =>
  [person?.firstName, person?.lastName].filter(Boolean).join(' ') || null;

function filesOf(
  file: MediaFile | undefined,
  messageId: number,
  accountId: number,
): v.InferInput<typeof IncomingMessage>['attachments'] {
  if (!file) return undefined;
  const ref = userFileRef({ messageId, fileId: file.id });
  return { files: [{ ...file, ref }], maxBytes: maxUserFileBytes, source: { kind: 'user', accountId } };
}

/** As `bodyOf` of a bot's message. */
function bodyOf({ message: text, media }: tl.RawMessage, file: MediaFile | undefined): string {
  if (text !== '' || media === undefined || file) return text;
  switch (media._) {
    case 'messageMediaDocument': {
      const attributes = media.document?._ === 'document' ? media.document.attributes : [];
      const sticker = attributes.find((one) => one._ === 'documentAttributeSticker');
      // Of what was to be seen once, or not at all, there is no file.
      return sticker ? sticker.alt || '[sticker]' : '[document]';
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
