import { Activities, type activityTypes } from '#lib/entities/activity.ts';
import type { Item } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Details = Partial<Pick<Item<typeof Activities>, 'text' | 'field' | 'oldValue' | 'newValue' | 'tagId'>>;

/** Adds an entry to a contact's timeline. Ids come from the counter `activity`. */
export async function addActivity(
  tx: UnitOfWork,
  contactId: number,
  type: (typeof activityTypes)[number],
  details: Details = {},
): Promise<Item<typeof Activities>> {
  return tx.create(Activities, {
    text: null,
    field: null,
    oldValue: null,
    newValue: null,
    tagId: null,
    ...details,
    id: await tx.nextId(Activities),
    contactId,
    type,
    actorType: tx.actor.type,
    actorUserId: tx.actor.type === 'user' ? tx.actor.id : null,
    actorKeyId: tx.actor.type === 'api_key' ? tx.actor.id : null,
    createdAt: tx.now,
  });
}
