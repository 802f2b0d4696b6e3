import { isMissing } from '#lib/aws/aws.ts';
import { unlessUnreadable } from '#lib/aws/secrets.ts';
import { openBotFiles } from '#lib/channels/telegram/bot-files.ts';
import { RefusedCall } from '#lib/channels/telegram/refused-call.ts';
import { notBefore, secondMs, shifted, timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { measure } from '#lib/core/metrics.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { fetchMail } from '#lib/email/bucket.ts';
import { eachAttachment } from '#lib/email/mime.ts';
import { Accounts } from '#lib/entities/account.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { claimMs, erased, type Source, type Transfer, Transfers } from '#lib/entities/transfer.ts';
import { copyFile, removeFiles } from '#lib/files/bucket.ts';
import { attachmentKey, ownKey } from '#lib/files/keys.ts';
import { storeStream } from '#lib/files/spool.ts';
import { type Settled, settleAttachments } from '#lib/messages/attachments.ts';
import { maxAttempts, retryWaitMs } from '#lib/messages/jobs/after.ts';
import { findMessage } from '#lib/messages/store.ts';
import { nextDayAt } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type OpenSource, storeFilesOfAccount } from './account-files.ts';
import { fileDimensions } from './dimensions.ts';
import { countReceived, roomFor, type Sender } from './shares.ts';

/** Timers may be early by what two clocks differ. */
const earlyMs = secondMs;
/** Limit for waiting for a day with free quota. The sources, such as the raw mail, are kept that long. */
const maxWaitedDays = 30;

/**
 * Brings what a message's attachments are into the bucket, unless somebody else is at it, and tells where they are. What fails for a
 * reason that may pass is tried again as messages are (contract section 3), five times, and not before Telegram allows it; what a day has no room for waits for the next.
 */
export async function storeAttachments(tenant: Tenant, messageId: number): Promise<void> {
  const transfer = await new UnitOfWork(tenant, system).find(Transfers, { id: messageId });
  if (!transfer || !isDue(transfer, timestamp())) return;
  if (transfer.isErased) await removeBrought(tenant, transfer);
  else if (transfer.source.kind === 'user')
    await storeFilesOfAccount(tenant, transfer, transfer.source.accountId, (...next) => store(tenant, ...next));
  else await store(tenant, messageId, openBotFiles);
}

const isDue = ({ dueAt }: Transfer, now: string) => dueAt <= shifted(now, earlyMs);

/**
 * Makes one attempt, if it is time for one, at what earlier ones have left. Returns false where it was in vain, for a reason that the
 * next message may share.
 */
async function store(tenant: Tenant, messageId: number, open: OpenSource): Promise<boolean> {
  const transfer = await claim(tenant, messageId);
  if (!transfer) return true;
  await removeFiles((transfer.replaced ?? []).map((id) => attachmentKey(tenant, messageId, id)));
  const { tries, parts, waitedDays = 0 } = transfer;
  const attempts = tries - waitedDays;
  const settled = new Map<number, Settled>();
  const add = (one: Settled) => void settled.set(one.id, one);
  // The last attempt ended its worker.
  const error = attempts > maxAttempts ? undefined : await failureOf(bring(tenant, transfer, open, add));
  if (error) log().warn('attachments could not be stored', { messageId, tries, error });
  const left = parts.filter(({ attachmentId }) => !settled.has(attachmentId));
  const isTomorrows = error instanceof DayIsUsedUp;
  const isLast = isTomorrows ? waitedDays >= maxWaitedDays : attempts >= maxAttempts;
  if (isLast) left.map(failed).forEach(add);
  const next = isTomorrows
    ? { dueAt: nextDayAt(), waitedDays: waitedDays + 1 }
    : { dueAt: notBefore(Math.max(retryWaitMs(attempts - 1), askedMs(error))) };
  const later = isLast || left.length === 0 ? undefined : { parts: left, ...next };
  await settle(tenant, transfer, [...settled.values()], later);
  if (isTomorrows && !isLast) measure(fileDimensions, { filesPutOff: left.length });
  return error === undefined || isTomorrows;
}

/** Returns the wait that Telegram asks for, and what a timer may be early. */
const askedMs = (error: Error | undefined): number =>
  error instanceof RefusedCall && error.waitMs > 0 ? error.waitMs + earlyMs : 0;

const failureOf = (work: Promise<void>): Promise<Error | undefined> =>
  work.then(
    () => undefined,
    (error: Error) => error,
  );

const claim = (tenant: Tenant, id: number): Promise<Transfer | undefined> =>
  transact(tenant, system, async (tx) => {
    const transfer = await tx.find(Transfers, { id });
    if (!transfer) return undefined;
    const { isWaiting = false, ...begun } = transfer;
    if (!isWaiting && !isDue(transfer, tx.now)) return undefined;
    return tx.update(Transfers, { ...begun, dueAt: shifted(tx.now, claimMs), tries: transfer.tries + 1 });
  });

/** Writes down what was brought, and what is left for later. What may have been brought for a message that is gone by now goes, too. */
async function settle(
  tenant: Tenant,
  begun: Transfer,
  settled: readonly Settled[],
  later?: Pick<Transfer, 'parts' | 'dueAt' | 'waitedDays'>,
): Promise<void> {
  const { id, mail, tries } = begun;
  const isThere = await transact(tenant, system, async (tx) => {
    const transfer = await tx.find(Transfers, { id });
    const isFound = await settleAttachments(tx, { id, mail }, settled);
    // Until it is gone: the bucket may not take it back at once.
    if (transfer && !isFound) tx.update(Transfers, erased(transfer, tx.now));
    // Somebody else may have begun meanwhile, or the files are others by now: then this attempt says nothing of what is left.
    else if (transfer?.tries === tries) {
      if (later) tx.update(Transfers, { ...transfer, ...later });
      else tx.delete(Transfers, transfer);
    }
    return isFound;
  });
  if (!isThere) await removeBrought(tenant, begun);
}

const keysOf = (tenant: Tenant, { id, parts }: Transfer) =>
  parts.map(({ attachmentId }) => attachmentKey(tenant, id, attachmentId));

/** Removes the files of a transfer whose message was erased. Its former worker has ended, and may have stored some. */
async function removeBrought(tenant: Tenant, transfer: Transfer): Promise<void> {
  await removeFiles(keysOf(tenant, transfer));
  await transact(tenant, system, async (tx) => {
    const left = await tx.find(Transfers, { id: transfer.id });
    if (left) tx.delete(Transfers, left);
  });
}

type Part = Transfer['parts'][number];

const failed = ({ attachmentId: id }: Part): Settled => ({ id, status: 'failed', key: null });
const expired = ({ attachmentId: id }: Part): Settled => ({ id, status: 'expired', key: null });

type Add = (one: Settled) => void;

/** Tells of each part what has become of it. Throws for those that are left, where that may pass. */
function bring(tenant: Tenant, transfer: Transfer, open: OpenSource, add: Add): Promise<void> {
  switch (transfer.source.kind) {
    case 'upload':
      return keep(tenant, transfer, add);
    case 'mail':
      return outOfMail(tenant, transfer, transfer.source, add);
    default:
      return fetched(tenant, transfer, transfer.source, { open, add });
  }
}

/** Copies uploaded files to their permanent place. A message that cannot be sent without one fails with that error. */
async function keep(tenant: Tenant, { id, parts }: Transfer, add: Add): Promise<void> {
  for (const part of parts) {
    const key = attachmentKey(tenant, id, part.attachmentId);
    const from = ownKey(tenant, part.ref);
    const isKept = from !== null && (await copyFile(from, key));
    add(isKept ? { id: part.attachmentId, status: 'stored', key, uploadedAs: from } : expired(part));
  }
}

/** More than any mail has. */
const maxMailFileBytes = 100 * 1024 * 1024;

async function outOfMail(tenant: Tenant, transfer: Transfer, { key }: SourceOf<'mail'>, add: Add): Promise<void> {
  const { parts } = transfer;
  const raw = await fetchMail(key).catch((error: Error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!raw) return parts.map(expired).forEach(add);
  const shelf = await shelfOf(tenant, transfer);
  const found = new Set<Part>();
  await eachAttachment(raw, async (index, bytes) => {
    const part = parts.find(({ ref }) => ref === String(index));
    if (!part) return;
    found.add(part);
    add(await shelf.stored(part, bytes, maxMailFileBytes));
  });
  for (const part of parts) if (!found.has(part)) add(failed(part));
}

type SourceOf<Kind extends Source['kind']> = Extract<Source, { kind: Kind }>;

async function fetched(
  tenant: Tenant,
  transfer: Transfer,
  { accountId }: SourceOf<'bot' | 'user'>,
  { open, add }: { open: OpenSource; add: Add },
): Promise<void> {
  const { parts } = transfer;
  const account = await new UnitOfWork(tenant, system).find(Accounts, { id: accountId });
  // Nothing is asked outside for the sandbox, nor by an account that somebody has disconnected.
  if (!account || account.secret === '' || tenant.env === 'test') return parts.map(failed).forEach(add);
  const shelf = await shelfOf(tenant, transfer);
  const source = await unlessUnreadable(open(tenant, account));
  if (!source) return parts.map(failed).forEach(add);
  try {
    for (const part of parts) {
      const opened = await source.open(part.ref);
      if (opened.kind === 'bytes') add(await shelf.stored(part, opened.bytes, source.maxBytes));
      else add({ ...failed(part), status: opened.kind });
    }
  } finally {
    await source.close();
  }
}

/** Raised when the daily bytes of one sender, or of all together, are used up: the rest waits for the next day. */
class DayIsUsedUp extends Error {
  override message = 'as many bytes of files were received as a day takes';
}

/** Where the files of a message go that came in. Throws DayIsUsedUp. */
async function shelfOf(tenant: Tenant, transfer: Transfer) {
  const { id: messageId } = transfer;
  const sender = await senderOf(tenant, transfer);
  const room = async () => {
    const bytes = await roomFor(tenant, sender);
    if (bytes === 0) throw new DayIsUsedUp();
    return bytes;
  };
  await room();
  return {
    /** Every attempt stores it under the same key, so none leaves anything behind. */
    async stored(part: Part, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Settled> {
      const key = attachmentKey(tenant, messageId, part.attachmentId);
      const most = await room();
      const sizeBytes = await storeStream(key, bytes, Math.min(maxBytes, most));
      if (sizeBytes === undefined && most < maxBytes) throw new DayIsUsedUp();
      if (sizeBytes === undefined) return { ...failed(part), status: 'too_large' };
      await countReceived(tenant, sender, sizeBytes);
      return { id: part.attachmentId, status: 'stored', key, sizeBytes };
    },
  };
}

/** Whose a message's files are. */
async function senderOf(tenant: Tenant, { id, mail }: Transfer): Promise<Sender> {
  const tx = new UnitOfWork(tenant, system);
  const [message, email] = await Promise.all([findMessage(tx, id), mail && tx.find(EmailMessages, mail)]);
  return { contactId: message?.contactId ?? null, email: email?.from.email, verdict: email?.authentication?.verdict };
}
