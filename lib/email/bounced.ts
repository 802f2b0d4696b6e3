import { addressKey } from '#lib/core/mail-address.ts';
import { conflict } from '#lib/core/problem.ts';
import { BouncedAddresses, digestOf } from '#lib/entities/bounce.ts';
import type { Mailbox } from '#lib/entities/email-thread.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const rowOf = (email: string) => ({ address: digestOf(addressKey(email)) });

/** Remembers that mail to an address bounces for good. */
export async function markBounced(tx: UnitOfWork, email: string): Promise<void> {
  if ((await tx.find(BouncedAddresses, rowOf(email))) === undefined) tx.create(BouncedAddresses, rowOf(email));
}

/** Returns the addresses from which a mail has bounced permanently. */
export async function bouncedAmong(tx: UnitOfWork, mailboxes: readonly Mailbox[]): Promise<string[]> {
  const found = await tx.findAll(
    BouncedAddresses,
    mailboxes.map(({ email }) => rowOf(email)),
  );
  const bounced = new Set(found.map(({ address }) => address));
  return mailboxes.map(({ email }) => email).filter((email) => bounced.has(rowOf(email).address));
}

/** Raises 409 recipient_bounced, which names those from whom a mail has bounced for good. */
export async function requireReachable(tx: UnitOfWork, mailboxes: readonly Mailbox[]): Promise<void> {
  const recipients = await bouncedAmong(tx, mailboxes);
  if (recipients.length === 0) return;
  throw conflict('recipient_bounced', 'mail to a recipient has bounced for good; with force it is sent again', {
    recipients,
  });
}
