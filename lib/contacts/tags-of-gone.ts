import { Contacts } from '#lib/entities/contact.ts';
import { type StoredTag, Tags } from '#lib/entities/tag.ts';
import { entryKey } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const perPart = 20;

/** Removes some of the tag entries that a contact which is gone has left. Returns those of the tags that exist, and the ids that are left. */
export async function removeTagEntries(
  tx: UnitOfWork,
  contactId: number,
  tagIds: readonly number[],
): Promise<{ tags: StoredTag[]; left: number[] }> {
  const some = tagIds.slice(0, perPart);
  for (const tag of some) tx.write({ key: entryKey(tx.tenant, Contacts, { tag }, contactId), item: null });
  const places = some.map((id) => ({ id }));
  return { tags: await tx.findAll(Tags, places), left: tagIds.slice(perPart) };
}
