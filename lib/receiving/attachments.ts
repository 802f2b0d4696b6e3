import { isMissing } from '#lib/aws.ts';
import { openBotFiles } from '#lib/channels/telegram/bot-files.ts';
import { secondMs, shifted, timestamp } from '#lib/clock.ts';
import { fetchMail } from '#lib/email/bucket.ts';
import { eachAttachment } from '#lib/email/mime.ts';
import { Accounts } from '#lib/entities/account.ts';
import { type Source, type Transfer, Transfers } from '#lib/entities/transfer.ts';
import { copyFile, removeFiles } from '#lib/files/bucket.ts';
import { attachmentKey, ownKey } from '#lib/files/keys.ts';
import { storeStream } from '#lib/files/spool.ts';
import { maxAttempts, retryWaitMs } from '#lib/jobs/after.ts';
import { log } from '#lib/log.ts';
import { type Settled, settleAttachments } from '#lib/messages/attachments.ts';
import { left, take } from '#lib/quotas/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { attachmentTimeoutSeconds } from '#lib/timeouts.ts';
import { type OpenSource, storeInTurn } from './account-files.ts';

/** Outlives the process that is at it. */
const claimMs = (attachmentTimeoutSeconds + 5) * secondMs;
/** Timers may be early by what two clocks differ. */
const earlyMs = secondMs;

/**
 * Brings what a message's attachments are into the bucket, unless somebody else is at it, and tells where they are. What fails for a
 * reason that may pass is tried again as messages are (contract section 3), five times.
 */
export async function storeAttachments(tenant: Tenant, messageId: number): Promise<void> {
  const transfer = await new UnitOfWork(tenant, system).find(Transfers, { id: messageId });
  if (!transfer || !isDue(transfer, timestamp())) return;
  if (transfer.source.kind === 'user')
    await storeInTurn(tenant, transfer, transfer.source.accountId, (...next) => store(tenant, ...next));
  else await store(tenant, messageId, openBotFiles);
}

const isDue = ({ dueAt }: Transfer, now: string) => dueAt <= shifted(now, earlyMs);

/** Makes one attempt, if it is time for one. Returns false where it was in vain, for a reason that may pass. */
async function store(tenant: Tenant, messageId: number, open: OpenSource): Promise<boolean> {
  const transfer = await claim(tenant, messageId);
  if (!transfer) return true;
  // Whoever made the last attempt was ended by it.
  const settled = transfer.tries > maxAttempts ? undefined : await attempted(tenant, transfer, open);
  if (settled) await settle(tenant, transfer, settled);
  else if (transfer.tries >= maxAttempts) await settle(tenant, transfer, transfer.parts.map(failed));
  else await putOff(tenant, transfer, retryWaitMs(transfer.tries - 1));
  return settled !== undefined;
}

const attempted = (tenant: Tenant, transfer: Transfer, open: OpenSource): Promise<Settled[] | undefined> =>
  brought(tenant, transfer, open).catch((error: Error) => {
    log().warn('attachments could not be stored', { messageId: transfer.id, tries: transfer.tries, error });
    return undefined;
  });

const claim = (tenant: Tenant, id: number): Promise<Transfer | undefined> =>
  transact(tenant, system, async (tx) => {
    const transfer = await tx.find(Transfers, { id });
    if (!transfer) return undefined;
    const { isWaiting = false, ...begun } = transfer;
    if (!isWaiting && !isDue(transfer, tx.now)) return undefined;
    return tx.update(Transfers, { ...begun, dueAt: shifted(tx.now, claimMs), tries: transfer.tries + 1 });
  });

const putOff = (tenant: Tenant, claimed: Transfer, waitMs: number): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const transfer = await tx.find(Transfers, { id: claimed.id });
    // Nobody else has begun meanwhile.
    if (transfer?.tries === claimed.tries) tx.update(Transfers, { ...transfer, dueAt: shifted(tx.now, waitMs) });
  });

/** What was brought for a message that is gone by now goes, too. */
async function settle(tenant: Tenant, { id, mail }: Transfer, settled: readonly Settled[]): Promise<void> {
  const isThere = await transact(tenant, system, async (tx) => {
    const transfer = await tx.find(Transfers, { id });
    if (transfer) tx.delete(Transfers, transfer);
    return settleAttachments(tx, { id, mail }, settled);
  });
  if (!isThere) await removeFiles(settled.flatMap(({ key }) => key ?? []));
}

type Part = Transfer['parts'][number];

const failed = ({ attachmentId: id }: Part): Settled => ({ id, status: 'failed', key: null });
const expired = ({ attachmentId: id }: Part): Settled => ({ id, status: 'expired', key: null });

function brought(tenant: Tenant, transfer: Transfer, open: OpenSource): Promise<Settled[]> {
  switch (transfer.source.kind) {
    case 'upload':
      return kept(tenant, transfer);
    case 'mail':
      return outOfMail(tenant, transfer, transfer.source);
    default:
      return fetched(tenant, transfer, transfer.source, open);
  }
}

/** What a caller has uploaded is copied to where it stays; a message that cannot be sent for want of it says so itself. */
async function kept(tenant: Tenant, { id, parts }: Transfer): Promise<Settled[]> {
  const settled: Settled[] = [];
  for (const part of parts) {
    const key = attachmentKey(tenant, id, part.attachmentId);
    const from = ownKey(tenant, part.ref);
    settled.push(
      from !== null && (await copyFile(from, key)) ? { id: part.attachmentId, status: 'stored', key } : expired(part),
    );
  }
  return settled;
}

/** More than any mail has. */
const maxMailFileBytes = 100 * 1024 * 1024;

async function outOfMail(tenant: Tenant, { id, parts }: Transfer, { key }: SourceOf<'mail'>): Promise<Settled[]> {
  const raw = await fetchMail(key).catch((error: Error) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (!raw) return parts.map(expired);
  const settled = new Map<number, Settled>();
  await eachAttachment(raw, async (index, bytes) => {
    const part = parts.find(({ ref }) => ref === String(index));
    if (part) settled.set(part.attachmentId, await stored(tenant, id, part, bytes, maxMailFileBytes));
  });
  return parts.map((part) => settled.get(part.attachmentId) ?? failed(part));
}

type SourceOf<Kind extends Source['kind']> = Extract<Source, { kind: Kind }>;

async function fetched(
  tenant: Tenant,
  { id, parts }: Transfer,
  { accountId }: SourceOf<'bot' | 'user'>,
  open: OpenSource,
): Promise<Settled[]> {
  const account = await new UnitOfWork(tenant, system).find(Accounts, { id: accountId });
  // Nothing is asked outside for the sandbox, nor by an account that somebody has disconnected.
  if (!account || account.secret === '' || tenant.env === 'test') return parts.map(failed);
  const source = await open(tenant, account);
  const settled: Settled[] = [];
  try {
    for (const part of parts) {
      const opened = await source.open(part.ref);
      if (opened.kind === 'bytes') settled.push(await stored(tenant, id, part, opened.bytes, source.maxBytes));
      else settled.push({ ...failed(part), status: opened.kind });
    }
  } finally {
    await source.close();
  }
  return settled;
}

/** Every attempt stores it under the same key, so none leaves anything behind. What is beyond the day's quota is too large for it. */
async function stored(
  tenant: Tenant,
  messageId: number,
  part: Part,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Settled> {
  const key = attachmentKey(tenant, messageId, part.attachmentId);
  const sizeBytes = await storeStream(key, bytes, Math.min(maxBytes, await left(tenant, 'received')));
  if (sizeBytes === undefined) return { ...failed(part), status: 'too_large' };
  await take(tenant, 'received', sizeBytes);
  return { id: part.attachmentId, status: 'stored', key, sizeBytes };
}
