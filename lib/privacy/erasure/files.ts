import { shifted } from '#lib/core/clock.ts';
import { Exports, type StoredExport } from '#lib/entities/export.ts';
import { Messages, type StoredMessage } from '#lib/entities/message.ts';
import { claimMs, erased, Transfers } from '#lib/entities/transfer.ts';
import { removeFiles, removeFolder } from '#lib/files/bucket.ts';
import { attachmentKey, exportFolder, keysOf } from '#lib/files/keys.ts';
import type { Entity } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/**
 * Removes the bytes of a message that goes, ahead of its commit: should that fail, the next try finds them gone. What was still to be
 * fetched is no longer; whoever is at it may bring it yet, so it is removed once more when they have ended.
 */
export async function eraseFiles(
  tx: UnitOfWork,
  { id, attachments }: Pick<StoredMessage, 'id' | 'attachments'>,
): Promise<void> {
  if (attachments.length === 0) return;
  const transfer = await tx.find(Transfers, { id });
  const ids = [...attachments.map((one) => one.id), ...(transfer?.replaced ?? [])];
  const keys = attachments.flatMap((one) => keysOf(tx.tenant, one));
  await removeFiles([...new Set([...ids.map((one) => attachmentKey(tx.tenant, id, one)), ...keys])]);
  if (transfer?.tries === 0) tx.delete(Transfers, transfer);
  else if (transfer) tx.update(Transfers, erased(transfer, shifted(tx.now, claimMs)));
}

/** Removes what the bucket holds of a row that goes with its contact, but for files that `stays` says are shown elsewhere. */
export async function eraseFilesOf(
  tx: UnitOfWork,
  of: Entity,
  row: object,
  stays: (message: StoredMessage) => Promise<boolean>,
): Promise<void> {
  if (of.name === Exports.name) await removeFolder(exportFolder(tx.tenant, (row as StoredExport).id));
  if (of.name === Messages.name && !(await stays(row as StoredMessage))) await eraseFiles(tx, row as StoredMessage);
}
