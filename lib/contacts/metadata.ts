import { isSameMetadata } from '#lib/core/metadata.ts';
import { changesOf } from '#lib/events/changes.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getStoredContact } from './read.ts';
import { updateContact } from './write.ts';

type Metadata = Record<string, string>;

/** Raises 404. */
export async function getContactMetadata(tx: UnitOfWork, id: number): Promise<{ metadata: Metadata }> {
  const { metadata } = await getStoredContact(tx, id);
  return { metadata };
}

/** Replaces all pairs. Emits contact.updated unless they are the same. Raises 404. */
export async function putContactMetadata(
  tx: UnitOfWork,
  id: number,
  metadata: Metadata,
): Promise<{ metadata: Metadata }> {
  const contact = await getStoredContact(tx, id);
  if (isSameMetadata(contact.metadata, metadata)) return { metadata: contact.metadata };
  const next = { ...contact, metadata };
  updateContact(tx, next, changesOf(contact, next, ['metadata']));
  return { metadata };
}
