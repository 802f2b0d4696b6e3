import type { StoredContact } from '#lib/entities/contact.ts';
import { Identities, type Identity } from '#lib/entities/identity.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The row of a sender and its contact, if both are there; of a username that was given up the contact is nobody. */
export async function findIdentity(
  tx: UnitOfWork,
  sender: string,
): Promise<{ identity: Identity | undefined; contact: StoredContact | undefined }> {
  const identity = await tx.find(Identities, { sender });
  const isKnown = identity && (identity.held === undefined || (await findHolder(tx, identity)) !== undefined);
  return { identity, contact: isKnown ? await resolveMerged(tx, identity.contactId) : undefined };
}

/** Returns the row of the sender who has a username, as far as the platform has reported. */
export async function findHolder(tx: UnitOfWork, { sender, held }: Identity): Promise<Identity | undefined> {
  const holder = held && (await tx.find(Identities, { sender: held.by }));
  const username = holder?.told?.username ?? undefined;
  return username !== undefined && sender.endsWith(`/@${username.toLowerCase()}`) ? holder : undefined;
}

/** From now on the sender is this contact. */
export async function keepIdentity(
  tx: UnitOfWork,
  sender: string,
  known: Identity | undefined,
  contactId: number,
): Promise<void> {
  if (known?.contactId === contactId) return;
  if (known) tx.update(Identities, { ...known, contactId });
  else tx.create(Identities, { id: await tx.nextId(Identities), sender, contactId });
}
