import { firstBytes, oneLine } from '#lib/core/text.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Messages, type StoredAttachment, type StoredMessage } from '#lib/entities/message.ts';
import { type Source, type Transfer, Transfers } from '#lib/entities/transfer.ts';
import { cleanFileName } from '#lib/files/name.ts';
import { takeFiles } from '#lib/files/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { announceUpdate, findMessage } from './store.ts';

/** A file that came in, as its sender describes it. */
export interface IncomingFile {
  fileName: string;
  contentType: string;
  sizeBytes: number;
  /** Reference of the attachment at its source; null if nothing will fetch it. */
  ref: string | null;
  /** ID of the file at the platform, the same for every account. */
  atPlatform?: string | undefined;
}

const maxTypeBytes = 255;
const maxShownBytes = 2_147_483_647;

/**
 * The attachments of a message with these files, whose bytes are still to be fetched: at most `maxBytes` of each. `after`: the id of the
 * last one that the message has had.
 */
export const pendingAttachments = (files: readonly IncomingFile[], maxBytes: number, after = 0): StoredAttachment[] =>
  files.map(({ fileName, contentType, sizeBytes, ref, atPlatform }, index) => ({
    id: after + index + 1,
    fileName: cleanFileName(fileName) || `attachment-${index + 1}`,
    contentType: firstBytes(oneLine(contentType), maxTypeBytes) || 'application/octet-stream',
    sizeBytes: Math.min(Math.ceil(sizeBytes), maxShownBytes),
    status: sizeBytes > maxBytes ? 'too_large' : ref === null ? 'expired' : 'pending',
    key: null,
    ...(atPlatform !== undefined && { atPlatform }),
  }));

/** Has a worker bring the attachments of a message that this unit of work stores to where they stay. */
export function fetchLater(
  tx: UnitOfWork,
  { id, attachments }: Pick<StoredMessage, 'id' | 'attachments'>,
  refs: readonly (string | null)[],
  { source, mail = null }: { source: Source; mail?: Transfer['mail'] },
): void {
  const parts = partsOf(attachments, refs, source);
  if (parts.length > 0) tx.create(Transfers, { id, mail, source, parts, dueAt: tx.now, tries: 0 });
}

const partsOf = (attachments: readonly StoredAttachment[], refs: readonly (string | null)[], { kind }: Source) =>
  attachments.flatMap(({ id: attachmentId, status }, index) => {
    const ref = refs[index];
    return ref == null || (status !== 'pending' && kind !== 'upload') ? [] : [{ attachmentId, ref }];
  });

/** Files that came in, and where their bytes are. */
export interface IncomingFiles {
  files: readonly IncomingFile[];
  /** Larger ones are not fetched. */
  maxBytes: number;
  source: Source;
}

/**
 * Returns the attachments of a message whose file was replaced, undefined where it has the same. The new file is fetched later, and the
 * bytes of the old one go then.
 */
export async function replaceFiles(
  tx: UnitOfWork,
  { id, attachments: before }: Pick<StoredMessage, 'id' | 'attachments'>,
  { files, maxBytes, source }: IncomingFiles,
): Promise<StoredAttachment[] | undefined> {
  const namesOf = (all: readonly { atPlatform?: string | undefined }[]) =>
    all.map(({ atPlatform }) => atPlatform).join();
  if (files.length === 0 || namesOf(files) === namesOf(before)) return undefined;
  const attachments = pendingAttachments(files, maxBytes, Math.max(0, ...before.map((one) => one.id)));
  const refs = files.map(({ ref }) => ref);
  const known = await tx.find(Transfers, { id });
  const transfer = {
    ...{ id, mail: null, source, tries: 0 },
    parts: partsOf(attachments, refs, source),
    replaced: [...(known?.replaced ?? []), ...before.map((one) => one.id)],
    // A worker on the old attachment has ended by then.
    dueAt: known && known.tries > 0 && known.dueAt > tx.now ? known.dueAt : tx.now,
  };
  if (known) tx.update(Transfers, transfer);
  else if (transfer.parts.length + transfer.replaced.length > 0) tx.create(Transfers, transfer);
  return attachments;
}

/** The files that callers have uploaded for a message that this unit of work stores stay for as long as it does. */
export const keepFiles = (
  tx: UnitOfWork,
  message: Pick<StoredMessage, 'id' | 'attachments'>,
  mail: Transfer['mail'] = null,
): void =>
  fetchLater(
    tx,
    message,
    message.attachments.map(({ key }) => key),
    { source: { kind: 'upload' }, mail },
  );

/** Files that a new message takes. */
export interface Uploads {
  attachments: StoredAttachment[];
  /** Once the message is made. */
  keep(messageId: number): void;
}

/** The files of a message that callers have uploaded, as `takeFiles` gives them; they stay for as long as it does. */
export async function takeUploads(tx: UnitOfWork, ids: readonly number[] | undefined): Promise<Uploads> {
  const attachments = await takeFiles(tx, ids);
  return { attachments, keep: (id) => keepFiles(tx, { id, attachments }) };
}

/** Result of fetching an attachment. */
export type Settled = Pick<StoredAttachment, 'id' | 'status' | 'key' | 'uploadedAs'> & { sizeBytes?: number };

/**
 * Writes the results of fetching attachments into the message and, for a mail, into its thread. Emits message.updated if a status
 * changes, and returns whether the message exists: the contact of a mail may be erased while the thread remains.
 */
export async function settleAttachments(
  tx: UnitOfWork,
  { id, mail }: Pick<Transfer, 'id' | 'mail'>,
  settled: readonly Settled[],
): Promise<boolean> {
  const message = await findMessage(tx, id);
  const email = mail && (await tx.find(EmailMessages, mail));
  if (email) tx.update(EmailMessages, { ...email, attachments: settledIn(email.attachments, settled) });
  if (!message) return Boolean(email);
  const after = tx.update(Messages, { ...message, attachments: settledIn(message.attachments, settled) });
  const isNews = after.attachments.some(({ status }, index) => status !== message.attachments[index]?.status);
  if (isNews) await announceUpdate(tx, message, after, ['attachments']);
  return true;
}

function settledIn(attachments: readonly StoredAttachment[], settled: readonly Settled[]): StoredAttachment[] {
  const byId = new Map(settled.map((one) => [one.id, one]));
  return attachments.map((attachment) => ({ ...attachment, ...byId.get(attachment.id) }));
}
