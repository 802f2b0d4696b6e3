import { getTag, listTags, removeTag } from '#lib/contacts/tags.ts';
import { Activities } from '#lib/entities/activity.ts';
import { Contacts } from '#lib/entities/contact.ts';
import type { StoredTag } from '#lib/entities/tag.ts';
import { listPage } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { forgetTag } from '#lib/webhooks/filter.ts';
import { detach } from './tagging.ts';

/** Takes a tag out of the dictionary and, before the answer or right after it, off every contact and out of every filter. Raises 404. */
export async function deleteTag(tx: UnitOfWork, id: number): Promise<{ id: number; deleted: true }> {
  const tag = await getTag(tx, id);
  await removeTag(tx, tag);
  startSaga(tx, detaching, { tag });
  return { id, deleted: true };
}

/** Takes a deleted tag off the contacts that still have it, and out of the filters of webhooks. */
export const detaching: SagaKind<{ tag: StoredTag }, 'detach'> = {
  name: 'detach',
  async step(tx, state) {
    const { tag } = state;
    const { items, hasMore } = await listPage(tx, Contacts, { where: { tag: tag.id }, archived: 'all', limit: 20 });
    await tx.reserveIds({ [Activities.name]: items.length });
    for (const contact of items) {
      if (!tx.hasRoom) return state;
      const dictionary = await listTags(tx, { with: contact.tagIds });
      await detach(tx, contact, [...dictionary, tag], tag);
    }
    if (hasMore || !tx.hasRoom) return state;
    await forgetTag(tx, tag.id);
    return undefined;
  },
};
