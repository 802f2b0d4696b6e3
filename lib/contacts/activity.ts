import { Activities, type activityTypes } from '#lib/entities/activity.ts';
import type { Item } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Details = Partial<
  Pick<Item<typeof Activities>, 'text' | 'field' | 'oldValue' | 'newValue' | 'tagId' | 'createdAt'>
>;

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
    ...authored(tx),
    ...details,
    id: await tx.nextId(Activities),
    contactId,
    type,
  });
}

/** Returns by whom and when an entry of a history is written. */
export const authored = ({ actor, now }: UnitOfWork) => ({
  actorType: actor.type,
  actorUserId: actor.type === 'user' ? actor.id : null,
  actorKeyId: actor.type === 'api_key' ? actor.id : null,
  createdAt: now,
});
