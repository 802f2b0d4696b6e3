import { Activities, type activityTypes } from '#lib/entities/activity.ts';
import { CompanyActivities, type companyActivityTypes } from '#lib/entities/company.ts';
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
const authored = ({ actor, now }: UnitOfWork) => ({
  actorType: actor.type,
  actorUserId: actor.type === 'user' ? actor.id : null,
  actorKeyId: actor.type === 'api_key' ? actor.id : null,
  createdAt: now,
});

type CompanyDetails = Partial<
  Pick<Item<typeof CompanyActivities>, 'text' | 'field' | 'oldValue' | 'newValue' | 'contactId' | 'createdAt'>
>;

/** Adds an entry to the history of a company. */
export async function addCompanyActivity(
  tx: UnitOfWork,
  companyId: number,
  type: (typeof companyActivityTypes)[number],
  details: CompanyDetails = {},
): Promise<Item<typeof CompanyActivities>> {
  return tx.create(CompanyActivities, {
    text: null,
    field: null,
    oldValue: null,
    newValue: null,
    contactId: null,
    ...authored(tx),
    ...details,
    id: await tx.nextId(CompanyActivities),
    companyId,
    type,
  });
}
