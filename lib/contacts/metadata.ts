import { isSameMetadata, mergedMetadata } from '#lib/core/metadata.ts';
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

/** Sets some pairs, and removes those of null. Emits contact.updated unless they are the same. Raises 404, 400 for too many. */
export async function patchContactMetadata(tx: UnitOfWork, id: number, change: Record<string, string | null>) {
  const { metadata } = await getStoredContact(tx, id);
  return putContactMetadata(tx, id, mergedMetadata(metadata, change));
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
