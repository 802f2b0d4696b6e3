import * as v from 'valibot';
import { handler as listAllActivities } from '#functions/activities/list.ts';
import { handler as addTag } from '#functions/contacts/add-tag.ts';
import { handler as setAssignee } from '#functions/contacts/assignee.ts';
import { handler as createContact } from '#functions/contacts/create.ts';
import { handler as createNote } from '#functions/contacts/create-activity.ts';
import { handler as getContact } from '#functions/contacts/get.ts';
import { handler as getMetadata } from '#functions/contacts/get-metadata.ts';
import { handler as setLeadScore } from '#functions/contacts/lead-score.ts';
import { handler as listContacts } from '#functions/contacts/list.ts';
import { handler as listActivities } from '#functions/contacts/list-activities.ts';
import { handler as listChannels } from '#functions/contacts/list-channels.ts';
import { handler as listDuplicates } from '#functions/contacts/list-duplicates.ts';
import { handler as mergeContacts } from '#functions/contacts/merge.ts';
import { handler as listMessages } from '#functions/contacts/messages.ts';
import { handler as patchContact } from '#functions/contacts/patch.ts';
import { handler as patchMetadata } from '#functions/contacts/patch-metadata.ts';
import { handler as readMessages } from '#functions/contacts/read-messages.ts';
import { handler as removeTag } from '#functions/contacts/remove-tag.ts';
import { handler as searchContacts } from '#functions/contacts/search.ts';
import { handler as setStage } from '#functions/contacts/stage.ts';
import { handler as upsertContact } from '#functions/contacts/upsert.ts';
import { handler as listAllMessages } from '#functions/messages/list.ts';
import { invalidField } from '#lib/core/problem.ts';
import { choice, idInput, maxId, queryInteger } from '#lib/core/schema.ts';
import type { Endpoint } from '#lib/http/endpoint.ts';
import {
  checkedByOperation,
  customFields,
  distinct,
  fields,
  listing,
  object,
  page,
  paging,
  withFilters,
  withIncluded,
} from '#lib/mcp/common.ts';
import { conditions, listOrSearch } from '#lib/mcp/search.ts';
import { type Arguments, idOf, optional, own, passed, pick, type Tool } from '#lib/mcp/tool.ts';

const profile = {
  name: 'Name',
  username: 'Handle without @',
  phone: 'Phone',
  email: 'E-mail',
  company: 'Company',
  notes: 'Notes',
};

const parts: Record<string, Endpoint> = {
  messages: listMessages,
  activities: listActivities,
  metadata: getMetadata,
  channels: listChannels,
  duplicates: listDuplicates,
};

/** Lists that exist for all contacts together. */
const ofAll: Record<string, Endpoint> = { messages: listAllMessages, activities: listAllActivities };

/** Members that the API adds to a contact by its own `include`. */
const ofContact = ['fields', 'addresses', 'companies', 'updatedAt', 'archive'];

/** The lists to show; a cursor belongs to one of them. */
function included({ include, after }: Arguments): string[] {
  const names = (include as string[] | undefined) ?? ['messages', 'activities', 'metadata'];
  if (after !== undefined && names.length > 1)
    throw invalidField('after', 'not_allowed', 'after needs include to name the one list that it continues');
  return names;
}

/** The list that a part of a contact is, or the one that is of all contacts. */
function partOf(name: string, { id }: Arguments): Endpoint {
  const of = (id === undefined ? ofAll : parts)[name];
  if (of === undefined) throw invalidField('id', 'required', 'id is required');
  return of;
}

/** As many as a contact can have. */
const maxTagChanges = 100;

/** Returns the operations that make the changes of `contacts_update`. */
function updateSteps(args: Arguments): (readonly [Endpoint, Arguments])[] {
  const at = { id: args['id'] };
  const given = (name: string) => args[name] !== undefined;
  const listed = (name: string) => (args[name] ?? []) as unknown[];
  return [
    [patchContact, args],
    ...(given('stage') ? [[setStage, args] as const] : []),
    ...(given('assignedToUserId') ? [[setAssignee, { ...at, userId: args['assignedToUserId'] }] as const] : []),
    ...(given('leadScore') ? [[setLeadScore, { ...at, score: args['leadScore'] }] as const] : []),
    ...listed('addTags').map(
      (tag) => [addTag, { ...at, [typeof tag === 'number' ? 'tagId' : 'tagName']: tag }] as const,
    ),
    ...listed('removeTagIds').map((tagId) => [removeTag, { ...at, tagId }] as const),
    ...(given('note') ? [[createNote, { ...at, text: args['note'] }] as const] : []),
    ...(given('metadata') ? [[patchMetadata, args] as const] : []),
    ...(given('upToMessageId') ? [[readMessages, args] as const] : []),
  ];
}

export const contactTools: Tool[] = [
  {
    name: 'contacts_search',
    title: 'Search contacts',
    description: 'Contacts by all given filters.',
    effect: 'reads',
    uses: [listContacts, searchContacts],
    takes: {
      ...listing(
        listContacts,
        {
          q: 'Name, username or phone contains',
          stage: 'Stage',
        },
        { username: '(exact)', phone: '(exact)', email: '(exact)', assignedToUserId: '(or none)' },
      ),
      ...conditions,
      fields,
    },
    gives: page,
    run: (ask, args) => listOrSearch(ask, listContacts, searchContacts, args),
  },
  {
    name: 'contacts_get',
    title: 'Read a contact',
    description: 'A contact with tags, custom values, addresses, companies, and what include names.',
    effect: 'reads',
    uses: [getContact, ...Object.values(parts), ...Object.values(ofAll)],
    takes: {
      ...withFilters(
        {
          id: passed(idInput(), 'Contact id; none: messages or activities of all'),
          include: own(
            distinct(choice(Object.keys(parts)), Object.keys(parts).length, 'names'),
            'Default first three; name one to page it',
          ),
        },
        { messages: listMessages, activities: listActivities },
      ),
      ...paging(listMessages),
      fields,
    },
    gives: object,
    async run(ask, args) {
      const names = included(args);
      const shown = names.map((name) => partOf(name, args));
      // The operations have an `include` that means something else.
      const { include, ...others } = args;
      const [contact, ...lists] = await Promise.all([
        args['id'] === undefined ? {} : withIncluded(ask, getContact, others, ofContact),
        ...shown.map((of) => ask(of, others)),
      ]);
      return Object.assign(
        contact,
        ...lists.map((list, index) => (names[index] === 'metadata' ? list : { [names[index] as string]: list })),
      );
    },
  },
  {
    name: 'contacts_create',
    title: 'Create a contact',
    description: 'Needs name, username or phone. matchOn changes the contact with the same value instead.',
    effect: 'is final',
    uses: [createContact, upsertContact],
    takes: {
      ...pick(createContact.route.body, { platform: 'Default telegram', ...profile }),
      ...optional(pick(upsertContact.route.body, { matchOn: 'Find one by' })),
      fields: customFields,
    },
    gives: object,
    run: (ask, args) => ask(args['matchOn'] === undefined ? createContact : upsertContact, args),
  },
  {
    name: 'contacts_update',
    title: 'Update a contact',
    description: 'Changes what is given, all or nothing; null clears. Every call adds its note.',
    effect: 'sets and adds',
    uses: [
      patchContact,
      setStage,
      setAssignee,
      setLeadScore,
      addTag,
      removeTag,
      createNote,
      patchMetadata,
      readMessages,
    ],
    takes: {
      id: idOf('Contact id'),
      ...pick(patchContact.route.body, profile),
      ...optional(pick(setStage.route.body, { stage: 'Stage' })),
      assignedToUserId: own(checkedByOperation(v.nullable(idInput())), 'Member id'),
      leadScore: own(checkedByOperation(v.nullable(idInput())), '0-100'),
      addTags: own(distinct(checkedByOperation(v.string()), maxTagChanges, 'tags'), 'Tag names, made if new'),
      removeTagIds: own(distinct(queryInteger(1, maxId), maxTagChanges, 'ids'), 'Tag ids'),
      fields: customFields,
      note: own(checkedByOperation(v.string()), 'New note'),
      ...optional(pick(patchMetadata.route.body, { metadata: 'Merges pairs, null removes one' })),
      ...optional(pick(readMessages.route.body, { upToMessageId: 'Read up to here' })),
    },
    renamed: { userId: 'assignedToUserId', score: 'leadScore', tagName: 'addTags', tagId: 'addTags', text: 'note' },
    gives: object,
    async run(_ask, args, update) {
      const [first, ...others] = updateSteps(args);
      const { shown, answers } = await update([first as readonly [Endpoint, Arguments], ...others]);
      const after = (of: Endpoint) => answers[[first, ...others].findIndex((change) => change?.[0] === of)];
      return { ...shown, ...after(patchMetadata), ...(after(createNote) && { note: after(createNote) }) };
    },
  },
  {
    name: 'contacts_merge',
    title: 'Merge two contacts',
    description: 'All of the source moves to this contact; the source is gone.',
    effect: 'is final',
    uses: [mergeContacts],
    takes: {
      id: idOf('Contact that stays'),
      ...pick(mergeContacts.route.body, { sourceContactId: 'Contact that goes' }),
    },
    gives: object,
    run: (ask, args) => ask(mergeContacts, args),
  },
];
