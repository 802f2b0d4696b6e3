import type * as v from 'valibot';
import type { SuppressionReason } from '#lib/core/choices.ts';
import { conflict, notFound } from '#lib/core/problem.ts';
import type { Mailbox } from '#lib/entities/email-thread.ts';
import {
  type StoredSuppression,
  SuppressedAddresses,
  type SuppressionQuery,
  Suppressions,
  suppressedKey,
} from '#lib/entities/suppression.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Adds a reason for which an address gets no sequence mail, or a bounced one none at all. */
export async function suppress(tx: UnitOfWork, address: string, reason: SuppressionReason): Promise<StoredSuppression> {
  const known = await tx.find(SuppressedAddresses, suppressedKey(address));
  const bounced = reason === 'bounce' && { bouncedAt: tx.now };
  if (!known) {
    const made = { id: await tx.nextId(Suppressions), address, reasons: [reason], createdAt: tx.now };
    tx.create(SuppressedAddresses, { ...suppressedKey(address), id: made.id, reasons: made.reasons, ...bounced });
    return tx.create(Suppressions, made);
  }
  const stored = await tx.get(Suppressions, { id: known.id });
  if (known.reasons.includes(reason)) return stored;
  const reasons = [...known.reasons, reason];
  tx.update(SuppressedAddresses, { ...known, reasons, ...bounced });
  return tx.update(Suppressions, { ...stored, address, reasons });
}

/** Lets all mail go to an address again. Raises 404. */
export async function unsuppress(tx: UnitOfWork, address: string): Promise<{ id: number; deleted: true }> {
  const known = await tx.get(SuppressedAddresses, suppressedKey(address), () => notFound('suppression'));
  tx.delete(SuppressedAddresses, known);
  tx.delete(Suppressions, await tx.get(Suppressions, { id: known.id }));
  return { id: known.id, deleted: true };
}

/** Suppressions in descending order of id. */
export async function listSuppressions(
  tx: UnitOfWork,
  { address, ...paging }: v.InferOutput<typeof SuppressionQuery>,
): Promise<Page<StoredSuppression>> {
  if (address === undefined) return listPage(tx, Suppressions, paging);
  const known = await tx.find(SuppressedAddresses, suppressedKey(address));
  return listPage(tx, Suppressions, { ...paging, ids: known ? [known.id] : [] });
}

/** Forgets how an address reads; that it is suppressed stays known by its digest. */
export async function forgetAddress(tx: UnitOfWork, email: string): Promise<void> {
  const known = await tx.find(SuppressedAddresses, suppressedKey(email));
  const stored = known && (await tx.find(Suppressions, { id: known.id }));
  if (stored && stored.address !== null) tx.update(Suppressions, { ...stored, address: null });
}

/** Why an address gets no sequence mail; nothing where it does. */
export const reasonsOf = async (tx: UnitOfWork, email: string): Promise<readonly SuppressionReason[]> =>
  (await tx.find(SuppressedAddresses, suppressedKey(email)))?.reasons ?? [];

/** Raises 409 recipient_bounced, which names those from whom a mail has bounced for good. */
export async function requireReachable(tx: UnitOfWork, mailboxes: readonly Mailbox[]): Promise<void> {
  const found = await tx.findAll(
    SuppressedAddresses,
    mailboxes.map(({ email }) => suppressedKey(email)),
  );
  const bounced = new Set(found.filter(({ reasons }) => reasons.includes('bounce')).map(({ address }) => address));
  const recipients = mailboxes.map(({ email }) => email).filter((email) => bounced.has(suppressedKey(email).address));
  if (recipients.length === 0) return;
  throw conflict(
    'recipient_bounced',
    'mail to some recipients has bounced for good: correct the addresses, or send with force: true',
    {
      recipients,
    },
  );
}
