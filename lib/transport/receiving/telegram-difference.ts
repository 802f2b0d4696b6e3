import type { tl } from '@mtcute/core';
import * as v from 'valibot';
import { isLive } from '#lib/channels/telegram/content.ts';
import { fileIn, type MediaFile, userFileRef } from '#lib/channels/telegram/media.ts';
import { keepPeer } from '#lib/channels/telegram/peer.ts';
import type { Difference } from '#lib/channels/telegram/user-connection.ts';
import { contentOfUser, entitiesOfUser } from '#lib/channels/telegram/user-content.ts';
import { secondMs, timestamp } from '#lib/core/clock.ts';
import { maxUserFileBytes, telegram } from '#lib/core/telegram-channel.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { placed } from '#lib/messages/entities.ts';
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
  const receive = (message: tl.TypeMessage, isEdit = false) =>
    take(tenant, place, (tx) => store(tx, accountId, message, people, isEdit));
  for (const message of told.messages) await receive(message);
  for (const update of told.updates) {
    if (update._ === 'updateNewMessage') await receive(update.message);
    if (update._ === 'updateEditMessage') await receive(update.message, true);
    if (update._ === 'updateReadHistoryOutbox') await noteRead(tenant, accountId, update);
  }
}

async function store(
  tx: UnitOfWork,
  accountId: number,
  message: tl.TypeMessage,
  people: ReadonlyMap<number, tl.RawUser>,
  isEdit: boolean,
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
  const { body, data } = contentOfUser(message, file);
  const entities = entitiesOfUser(message);
  const isMoving = isLive({ data });
  const atPlatform = { userId: String(userId), messageId: String(id) };
  // A reaction is no edit that anybody sees; where a place moves nobody is shown that either.
  const isEdited = editDate !== undefined && (!editHide || isMoving);
  const sent = isOwn || isEdit ? await findMessageAt(tx, { accountId, ...atPlatform }) : undefined;
  if (isEdit && !isEdited && !sent) return false;
  if (isOwn) {
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
      entities: placed(body, entities),
      data,
      threadId: null,
      sentAt: at(date),
      platformMessageId: String(id),
      ...(message.replyTo?._ === 'messageReplyHeader' &&
        message.replyTo.replyToMsgId !== undefined && { repliesTo: String(message.replyTo.replyToMsgId) }),
      forwardedFrom: originOf(message.fwdFrom, people),
      direction: isOwn ? 'outbound' : 'inbound',
      attachments: filesOf(file, id, accountId),
      ...(isEdited && { editedAt: at(editDate) }),
      ...(message.media?._ === 'messageMediaContact' &&
        message.media.userId === userId &&
        !isOwn && { ownPhone: message.media.phoneNumber }),
      news: isEdit ? (isMoving ? 'update' : 'edit') : 'message',
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
  return {
    files: [{ ...file, ref, atPlatform: file.id }],
    maxBytes: maxUserFileBytes,
    source: { kind: 'user', accountId },
  };
}

/** Returns the name of the author from whom a message is forwarded, if Telegram gives it. */
function originOf(origin: tl.TypeMessageFwdHeader | undefined, people: ReadonlyMap<number, tl.RawUser>): string | null {
  if (origin?._ !== 'messageFwdHeader') return null;
  const { fromName, fromId, postAuthor } = origin;
  return fromName ?? (fromId?._ === 'peerUser' ? nameOf(people.get(fromId.userId)) : null) ?? postAuthor ?? null;
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
