import * as v from 'valibot';
import { id, paging, queryChoices, queryInteger, storedChoice, text, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

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

export const maxNoteCharacters = 10_000;

/** Fields by which an entry of any history tells what happened. */
export const told = {
  text: v.nullable(v.string()),
  field: v.nullable(v.string()),
  oldValue: v.nullable(v.string()),
  newValue: v.nullable(v.string()),
};
/** Fields that say by whom and when it was written. */
export const authorship = {
  actorType: storedChoice(['user', 'api_key', 'ai', 'system']),
  actorUserId: v.nullable(id()),
  actorKeyId: v.nullable(v.string()),
  createdAt: time(),
};

/** One entry of a contact's timeline (contract section 2). */
export const Activity = v.pipe(
  v.object({
    id: id(),
    contactId: id(),
    type: storedChoice(activityTypes),
    ...told,
    tagId: v.nullable(id()),
    ...authorship,
  }),
  v.title('Activity'),
);

export const ActivityQuery = v.object({ ...paging, type: v.optional(queryChoices(activityTypes)) });
export const WorkspaceActivityQuery = v.object({ ...ActivityQuery.entries, contactId: v.optional(queryInteger()) });
export const CreateNote = v.pipe(v.object({ text: text(maxNoteCharacters) }), v.title('CreateNote'));

/** A line of the timeline of a contact. */
export const Activities = entity({
  name: 'activity',
  schema: Activity,
  references: [{ to: 'contact', field: 'contactId', isOwned: true }],
  within: 'contact/{contactId}/activity',
  indexes: { all: { copy: ({ type }) => ({ text: type }) } },
});
