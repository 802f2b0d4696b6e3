import * as v from 'valibot';
import { paging, queryChoices, text, time } from '#lib/schema.ts';
import { entity, entityPartition, type Item } from '#lib/table/entity.ts';
import { pages } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type Follower, hasRoom } from './follower.ts';

export const activityTypes = [
  'Note',
  'StageChanged',
  'Assigned',
  'Unassigned',
  'ScoreChanged',
  'TagAdded',
  'TagRemoved',
  'FieldUpdated',
  'Created',
] as const;

/** One entry of a contact's timeline (contract section 2). */
export const Activity = v.pipe(
  v.object({
    id: v.number(),
    contactId: v.number(),
    type: v.picklist(activityTypes),
    text: v.nullable(v.string()),
    field: v.nullable(v.string()),
    oldValue: v.nullable(v.string()),
    newValue: v.nullable(v.string()),
    tagId: v.nullable(v.number()),
    actorType: v.picklist(['user', 'api_key', 'ai', 'system']),
    actorUserId: v.nullable(v.number()),
    actorKeyId: v.nullable(v.string()),
    createdAt: time(),
  }),
  v.title('Activity'),
);

export const ActivityQuery = v.object({ ...paging, type: v.optional(queryChoices(activityTypes)) });
export const CreateNote = v.pipe(v.object({ text: text(10_000) }), v.title('CreateNote'));

export const timelineOf = (contactId: number) => `contact/${contactId}/activity`;

export const Activities = entity({
  name: 'activity',
  schema: Activity,
  within: ({ contactId }) => timelineOf(contactId),
});

type Details = Partial<Pick<Item<typeof Activities>, 'text' | 'field' | 'oldValue' | 'newValue' | 'tagId'>>;

/** Adds an entry to a contact's timeline. Ids come from the counter `activity`. */
export async function addActivity(
  tx: Transaction,
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

/** The timeline of a merged contact. */
export const activityFollower: Follower = {
  async move(tx, from, to) {
    for await (const page of pages({ pk: entityPartition(tx.tenant, Activities, timelineOf(from)), limit: 40 })) {
      for (const stored of page) {
        if (!hasRoom(tx)) return true;
        const activity = tx.remember(Activities, stored);
        tx.delete(Activities, activity);
        tx.create(Activities, { ...activity, contactId: to.id });
      }
    }
    return false;
  },
};
