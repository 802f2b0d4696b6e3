import type { Noun } from './noun.ts';

export const activities: Noun = {
  about: 'The history of contacts: notes, and every change of stage, assignee, score, tags, and fields.',
  operations: {
    activitiesList:
      'Lists the history of all contacts, newest first. Use it for a feed of what happens in the workspace, or with `type` to count changes of one kind. For one contact you can use its own list as well. Messages are not activities.',
  },
  parameters: {
    '*': {
      type: 'Only activities of these types, separated by commas, for example `Note,StageChanged`.',
      contactId: 'Only activities of the contact with this id.',
    },
  },
  schemas: {
    Activity: {
      id: 'Id of the activity, rising with time.',
      contactId: 'Id of the contact whose history this is.',
      type: [
        'The kind of activity. It decides which of the other fields have a value.',
        {
          Note: 'somebody wrote `text`',
          Created: 'the contact was created',
          FieldUpdated: '`field` changed from `oldValue` to `newValue`',
          StageChanged: 'the stage changed from `oldValue` to `newValue`',
          ScoreChanged: 'the lead score changed',
          Assigned: 'a member, whose id is `newValue`, got the contact',
          Unassigned: 'the contact lost its member',
          TagAdded: 'the tag `tagId` was added',
          TagRemoved: 'the tag `tagId` was removed',
        },
      ],
      text: 'The text of a note. Null for every other type.',
      field: 'Name of the field that changed, for example `phone`. Null unless the type is `FieldUpdated`.',
      oldValue: 'The value before the change, as text. Null when there was none.',
      newValue: 'The value after the change, as text. Null when it was cleared.',
      tagId: 'Id of the tag that was added or removed. Null for every other type.',
      actorType: 'Kind of actor: a member, a program, an AI agent, or the system.',
      actorUserId: 'Id of the member who did it in the panel. Null when nobody did, or a program.',
      actorKeyId: 'The 12-character id of the API key that did it. Null for everything else.',
      createdAt: 'When it happened, in UTC to the second.',
    },
  },
  enums: {
    ActorType: [
      'The kind of actor behind a change.',
      {
        user: 'a member, in the panel',
        api_key: 'a program, with an API key',
        ai: 'an AI agent',
        system: 'the system, without anybody asking for it',
      },
    ],
  },
};
