import type { Noun } from './noun.ts';

const person = {
  platform:
    'The messaging platform the person is known on. It decides what `username` means and never changes. Default `telegram`.',
  name: 'Full name of the person, at most 200 characters. Null when only a username or a phone number is known.',
  username:
    'Name on the platform without the leading `@`: 1 to 64 letters, digits, dots, and underscores, for example `ada_lovelace`.',
  phone: 'Phone number, stored as you write it: 5 to 20 digits with `+ - ( ) . /` and spaces, at most 32 characters.',
  email:
    'One e-mail address without a name, at most 254 characters. Incoming mail from this address belongs to the contact.',
  company: 'Name of the company the person works for, at most 200 characters.',
  notes: 'Free text about the person, at most 10,000 characters. For a dated history, add activities instead.',
};

const contactId = 'Id of the contact, as in `GET /v1/contacts`. A contact of another workspace answers 404.';

export const contacts: Noun = {
  about: 'People whom the workspace is in touch with, with their tags, notes, conversation, and duplicates.',
  operations: {
    contactsList:
      'Lists contacts, newest first. Combine the filters to find people: all of them must match. Use `updatedSince` to sync changes and `ids` to read up to 100 known contacts at once. Tags are not included; read a single contact for those.',
    contactsSearch:
      'Finds contacts by any combination of conditions on any field, custom ones included, in any order. It sees every write that was answered before. Use it where the filters of the list are too few; it changes nothing.',
    contactsCreate:
      'Creates a contact. Give at least one of `name`, `username`, and `phone`. There is no check for duplicates: use the upsert if the person may exist already. Emits `contact.created`.',
    contactsGet:
      'Returns one contact with its tags. Send `If-None-Match` to save the transfer when nothing has changed. Messages, deals, and tasks have lists of their own.',
    contactsPatch:
      'Changes the fields that the body names; null clears one, and fields left out keep their values. At least one of `name`, `username`, and `phone` must remain. Emits `contact.updated` and writes one activity for each changed field.',
    contactsUpsert:
      'Creates a contact, or changes the one that matches by username, phone, e-mail, or a pair of metadata, however it is spelled. Use it for imports and syncs. Answers 201 if it was created, 200 if it was changed, and 409 if several contacts match.',
    contactsArchive:
      'Archives a contact: lists, search, counts, and duplicates leave it out, and its unique values become free. Its sequences stop, and its queued jobs are canceled. Deals and tasks stay. The same again changes nothing. Emits `contact.archived`.',
    contactsRestore:
      'Restores an archived contact. A message or mail of the person does so, too. A unique value that another contact has by then answers 409 `field_value_taken`. Stopped sequences and canceled jobs stay so. The same again changes nothing. Emits `contact.restored`.',
    contactsBatch:
      'Creates, changes, and tags up to 100 contacts in one call. Each item succeeds or fails separately and has its own status in the results. With `atomic`, of at most 10 items, one failure undoes all of them. It sends no messages.',
    contactsStage:
      'Moves a contact to a stage of the contact pipeline. Any stage can follow any other. The same stage again changes nothing and emits nothing; otherwise `contact.updated` is emitted and an activity is written.',
    contactsAssignee:
      'Assigns a contact to a member, or to nobody with `userId` null. The member must be active. Emits `contact.updated`. Deals and tasks of the contact keep their own assignees.',
    contactsLeadScore:
      'Sets the lead score of a contact by hand, or clears it with null. `leadScoreIsAi` becomes false, so that you can tell it from a score that an agent gave. Emits `contact.updated`.',
    contactsListActivities:
      'Lists the history of a contact, newest first: notes, changes of stage, assignee, score, tags, and fields. Filter by `type` to see only notes, for example. Messages are not part of it.',
    contactsCreateActivity:
      'Adds a note to the history of a contact. Use it for calls and meetings that took place elsewhere. Emits `contact.note_added`. The field `notes` of the contact stays as it is.',
    contactsMessages:
      'Lists the conversation with one contact over all channels, newest first. Messages that wait to be sent are included. Reading does not mark them as read: use `POST /v1/contacts/{id}/messages/read` for that.',
    contactsReadMessages:
      'Marks inbound messages of a contact as read: all of them, or those up to `upToMessageId`. `hasUnreadMessages` becomes false when none is left. For a Telegram user account they are marked at Telegram too.',
    contactsListChannels:
      'Lists the accounts that can reach a contact, or have been in touch with it, on one page. Use it to choose the `accountId` for a message. An account that the contact has blocked has `blockedAt`.',
    contactsListTags:
      'Returns the tags of a contact as a plain array, ordered by name. Use it when you need nothing else of the contact; a single contact includes its tags as well.',
    contactsAddTag:
      'Adds a tag to a contact, by `tagId` or by `tagName`. A name that no tag has creates the tag. Adding a tag twice changes nothing. Answers the tags the contact has now.',
    contactsRemoveTag:
      'Removes a tag from a contact and answers the tags that are left. A tag the contact does not have changes nothing. The tag itself stays: delete it with `DELETE /v1/tags/{id}`.',
    contactsListDuplicates:
      'Lists contacts that may be the same person: they share the username on a platform, a phone number, or an e-mail address, in any spelling. Nothing is merged; use `POST /v1/contacts/{id}/merge` for that.',
    contactsMerge:
      'Merges another contact of the same platform into this one. This contact keeps its own values and takes those it lacks, with all tags, messages, activities, deals, tasks, and threads. The source answers 404 afterwards, and nothing brings it back.',
    contactsGetCompanies:
      'Returns the companies of a contact with their names and the title there. Use it to see where somebody works, or ask for `include=companies` of the contact.',
    contactsPutCompanies:
      'Replaces the companies of a contact, up to 10. Exactly one is primary: the first unless the body says otherwise. `company` of the contact shows its name. Emits `contact.updated` with `changed` `["companies"]`.',
    contactsListAddresses:
      'Lists the e-mail addresses and phone numbers of a contact on one page, the primary ones first. `email` and `phone` of the contact are its primary ones. Use it to see all of them, or ask for `include=addresses` of the contact.',
    contactsAddAddress:
      'Adds an e-mail address or a phone number to a contact; at most 20 in all. Incoming mail, filters, upserts, and duplicates look at all of them. The first of its kind is primary. An address of another contact answers 409 `address_taken` unless you send `force`. Emits `contact.updated`.',
    contactsPatchAddress:
      'Changes the label of an address, or makes it the primary one of its kind with `isPrimary: true`. The value does not change: delete the address and add another one. `If-Match` is not looked at. Emits `contact.updated` unless nothing changed.',
    contactsDeleteAddress:
      'Deletes an address of a contact. The next one of its kind becomes primary. The last phone number stays where the contact has neither name nor username: 400. `If-Match` is not looked at. Emits `contact.updated`.',
    contactsGetFields:
      'Returns the custom values of a contact: every field that is not archived, null where none is set. Use it when you need nothing else, or ask for `include=fields` of the contact. Definitions are in `GET /v1/fields`.',
    contactsPatchFields:
      'Sets the custom values that the body names; null clears one, and the others stay. A unique value that another contact has answers 409 `field_value_taken`. Emits `contact.updated`.',
    contactsGetMetadata:
      'Returns the metadata of a contact: your own pairs of key and text. Contacts do not include them. Use it to look up which record of your system a contact belongs to.',
    contactsPatchMetadata:
      'Changes some pairs of the metadata of a contact: sets those in the body, and removes those that are null. Pairs left out stay. Use it when several programs keep pairs. Emits `contact.updated` with `changed` `["metadata"]`.',
    contactsPutMetadata:
      'Replaces all metadata of a contact. Pairs that the body leaves out are removed, so read them first if you want to add one. Emits `contact.updated` with `changed` `["metadata"]`.',
    contactsErase:
      'Erases a contact and everything about it, for a request under data protection law. The contact answers 404 at once; messages, mail, files, and names in events follow within minutes. Follow it with `GET /v1/erasures/{id}`. It cannot be undone. It counts as 50 more requests.',
    contactsExport:
      'Returns everything stored about one person as one JSON document. Mail is included only with the scope `email:read`. If it is larger than 1 MB or takes long, the call answers 202 and a file is made: repeat the call until `status` is `completed`, then load `url`.\n\nA file counts as 10 more requests, is kept for an hour, and has at most 400 MB. The document is read page by page, so that a change made meanwhile may or may not be in it.',
  },
  parameters: {
    '*': {
      id: contactId,
      tagId: 'Id of the tag to remove, as in `GET /v1/tags`.',
      addressId: 'Id of the address, as in `GET /v1/contacts/{id}/addresses`.',
      include:
        'Members to add to each contact of the answer, separated by commas: `fields`, `companies`, `addresses`, `tags`, `updatedAt`, and `archive`. Default none. Another name is 400 `invalid_enum`.',
      type: 'Only activities of these types, separated by commas, for example `Note,StageChanged`.',
      channel: 'Only messages of this channel; all channels by default.',
      direction: 'Only messages that came in, or only those that went out; both by default.',
      since: 'Only messages sent at or after this time. Messages that were never sent count from `createdAt`.',
      until: 'Only messages sent at or before this time. Messages that were never sent count from `createdAt`.',
    },
    contactsList: {
      companyId: 'Only contacts that are linked to the company with this id, as their primary one or not.',
      platform: 'Only contacts of this messaging platform; all platforms by default.',
      q: 'Only contacts whose name, username, or phone number contains all words of this text, in any case and with or without accents. At most 200 characters.',
      stage: 'Only contacts in this stage of the contact pipeline, for example `qualified`.',
      assignedToUserId: 'Only contacts of this member. `none` finds the contacts that nobody looks after.',
      tagId: 'Only contacts that have the tag with this id.',
      minScore:
        'Only contacts with a lead score of at least this number, 0 to 100. Contacts without a score are left out.',
      hasUnread: '`true` for contacts with unread messages only, `false` for those without.',
      email: 'Only contacts with exactly this e-mail address among theirs, in any case.',
      phone:
        'Only contacts with exactly this phone number among theirs. Punctuation and spaces do not matter; the national form is found if the workspace has a country.',
      username: 'Only contacts with exactly this username, in any case, with or without `@`.',
    },
  },
  schemas: {
    Archive: {
      archivedAt: 'When it was archived, in UTC to the second.',
      archivedBy: 'The member, program, AI agent, or system that archived it.',
    },
    Contact: {
      ...person,
      updatedAt: 'When it was last changed, in UTC. Null until the first change. Only with `include=updatedAt`.',
      companies: 'The companies of the contact. Only with `include=companies`.',
      addresses: 'All e-mail addresses and phone numbers, primary ones first. Only with `include=addresses`.',
      tags: 'The tags of the contact, by name. In lists only with `include=tags`.',
      fields: 'The custom values by slug, null where none is set. Only with `include=fields`.',
      id: 'Id of the contact, unique within its environment and never used again.',
      stage: 'How far the relationship has come: the column of the contact in the contact pipeline.',
      leadScore: 'How promising the contact is, from 0 to 100. Null when nobody has rated it.',
      leadScoreIsAi: 'Whether an AI agent has set the lead score; false when a person or a program did.',
      lastMessageAt: 'When the last message in either direction was sent, on any channel. Null when there is none.',
      hasUnreadMessages: 'Whether an inbound message of the contact is still unread in the workspace.',
    },
    ContactWithTags: {
      tags: 'The tags of the contact, ordered by name, at most 100. An empty array when it has none.',
    },
    CreateContact: {
      ...person,
      fields:
        'Custom values by slug, as `GET /v1/fields` defines them; null clears one, and slugs left out keep theirs.',
      stage: 'Stage in which the contact begins. Default `new`.',
      assignedToUserId:
        'Id of an active member who looks after the contact, from `GET /v1/members`. Default null: nobody.',
      leadScore: 'Lead score from 0 to 100. Default null: nobody has rated it.',
      tags: 'Names of tags for the contact, at most 15 in one call. A name that no tag has creates the tag; an upsert adds them.',
      metadata: 'Your own pairs of key and text, at most 50. An upsert sets them and keeps the others.',
    },
    UpsertContact: {
      matchOn:
        'The field that finds the contact: `username` (within its platform), `phone`, `email`, `metadata.<key>`, or `fields.<slug>` of a unique field. The body must contain it.',
    },
    UpdateContactItem: {
      id: 'Id of the contact that this item changes.',
      stage: 'The stage to move the contact to, as `POST /v1/contacts/{id}/stage` does.',
      assignedToUserId: 'Id of an active member to assign the contact to. Null leaves it to nobody.',
      leadScore: 'Lead score from 0 to 100. Null clears the score.',
    },
    AddContactTagItem: { id: 'Id of the contact that gets the tag.' },
    RemoveContactTagItem: { id: 'Id of the contact that loses the tag.', tagId: 'Id of the tag to remove.' },
    AddTag: {
      tagId: 'Id of an existing tag. Give either this or `tagName`.',
      tagName: 'Name of the tag, 1 to 50 characters. A tag of that name is used, in any case, or created.',
    },
    SetContactStage: { stage: 'The stage that the contact moves to, for example `qualified`.' },
    SetContactAssignee: {
      userId: 'Id of an active member, from `GET /v1/members`. Null assigns the contact to nobody.',
    },
    SetLeadScore: { score: 'New lead score, a whole number from 0 to 100. Null clears it.' },
    MergeContacts: {
      sourceContactId: 'Id of the contact to merge into the one in the path. It answers 404 afterwards.',
    },
    CreateNote: { text: 'The note, 1 to 10,000 characters of plain text.' },
    ReadMessages: { upToMessageId: 'Id of the last message to mark as read. Leave it out to mark all of them.' },
    MessagesRead: { read: 'How many messages this call has marked as read.' },
    Metadata: {
      metadata: 'All pairs of key and text that you have stored with this record. An empty object when there are none.',
    },
    PatchMetadata: { metadata: 'The pairs to change, at most 50. Null removes a pair; pairs left out stay.' },
    PutMetadata: {
      metadata:
        'The new pairs, at most 50. A key has 1 to 40 of `A-Za-z0-9_.-`, a value at most 500 characters. Pairs left out are removed.',
    },
    ContactBatch: {
      items: 'The changes, 1 to 100, in the order in which they are made. `op` says what each one does.',
      atomic:
        'If true, all items are done or none, and there may be at most 10. Default false: each item is done separately.',
    },
    ContactBatchResult: {
      index: 'Position of the item in the request, from 0.',
      status: 'HTTP status that the single call would have answered, for example 201 or 409.',
      contact: 'The contact after the change. Null when the item failed.',
      error: 'Why the item failed, in the form of every error. Null when it was done.',
      id: 'Id of the resource, given only when the whole answer would exceed 5 MB. The item was done; read the resource by this id.',
    },
    ContactBatchResults: {
      results: 'One result for each item, in the order of the request.',
      succeeded: 'How many items were done.',
      failed: 'How many items failed. Look at `error` of each.',
    },
    ContactChannel: {
      channel: 'The messaging platform on which the account reaches the contact.',
      accountId: 'Id of the account of the workspace: use it as `accountId` when you send a message.',
      accountName: 'Name of that account, as the workspace calls it.',
      userId:
        'Id of the person on the platform, as text because it may exceed 53 bits. Null when only the username is known.',
      username: 'Name of the person on the platform, without `@`. Null when they have none.',
      blockedAt: 'When the person blocked this account. Null while messages can reach them.',
      lastInboundAt: 'When the person last wrote to this account. Null if they never did.',
      lastOutboundAt: 'When this account last wrote to the person. Null if it never did.',
    },
    ContactAddress: {
      id: 'Id of the address, unique within its contact and never used again there.',
      kind: 'Whether it is an e-mail address or a phone number.',
      value: 'The address as it was written.',
      normalized:
        'The address as it is compared: e-mail in lower case with its domain in ASCII; phone in E.164, or its digits if it is no number of a known country.',
      label: 'Your own word for it, such as `work`. Null without one.',
      isPrimary: 'Whether `email` or `phone` of the contact shows it. One of each kind is primary.',
      bouncedAt: 'When a mail to it last bounced for good. Null if none did, or if the suppression was deleted.',
      createdAt: 'When the contact got it, in UTC.',
    },
    ContactAddresses: { items: 'The addresses, primary ones first, then ascending by id.' },
    CreateContactAddress: {
      kind: 'Whether `value` is an e-mail address or a phone number.',
      value: 'The address, in the form that `email` or `phone` of a contact takes.',
      label: 'Your own word for it, such as `work`, at most 40 characters. Default null.',
      isPrimary: 'Whether it becomes the primary one of its kind. Default false, but the first of its kind is primary.',
      force: 'Whether to add it though another contact has it. Default false.',
    },
    PatchContactAddress: {
      label: 'Your own word for it, at most 40 characters. Null removes it.',
      isPrimary: 'True makes it the primary one of its kind. False is refused: make another one primary.',
    },
    ContactExport: {
      addresses: 'All e-mail addresses and phone numbers of the contact, primary ones first.',
      companies: 'The companies that the contact is linked to, with the title there.',
      exportedAt: 'When the document was made. Changes after this time are not in it.',
      contact: 'The contact itself, with its tags.',
      metadata: 'The pairs of key and text that programs have stored with the contact.',
      fields: 'The values of all custom fields of contacts by slug, archived fields included. Null where none is set.',
      channels: 'The accounts that are in touch with the person.',
      conversation:
        'The conversation with the contact, as `GET /v1/conversations/{id}` shows it. Null if no message was received or sent.',
      activities: 'The whole history of the contact: notes and changes.',
      messages: 'The whole conversation. Mail is in it only with the scope `email:read`.',
      deals: 'The deals of the contact, each with its metadata and custom fields.',
      tasks: 'The tasks about the contact, each with its metadata and custom fields.',
      enrollments: 'The sequences in which the person is or was.',
      jobs: 'Messages to the person that were queued, sent, or failed. Mail is in it only with `email:read`.',
      invoices: 'The invoices that were written to the contact.',
      transactions: 'Income and expenses that are booked for the contact.',
      identities: 'The ids and usernames by which platforms know the person.',
      emailThreads: 'The mail threads with the person. Left out without the scope `email:read`.',
      emailMessages: 'The mails of those threads with their texts. Left out without the scope `email:read`.',
    },
    ContactExportFile: {
      id: 'Id of the file that is being made. Repeat the call to follow it.',
      status: [
        'How far the file is. Repeat the call every few seconds until it is completed or failed.',
        {
          queued: 'nothing has been gathered yet',
          running: 'the data is being gathered',
          completed: '`url` has the document',
          failed: 'the document would exceed 400 MB',
        },
      ],
      completedAt: 'When the file was finished. Null until then.',
      sizeBytes: 'Size of the finished file in bytes. Null until it is completed.',
      url: 'Address that answers the document, without a key, until `expiresAt`. Each call gives a new one. Null until it is completed.',
      expiresAt: 'When `url` stops working, five minutes after this call. Null until the file is completed.',
    },
    ContactIdentity: {
      channel: 'The platform that knows the person by these names.',
      userId: 'Id of the person there, as text. Null when only a username is known.',
      username: 'Username of the person there, without `@`. Null when only an id is known.',
    },
    ExportedDeal: {
      metadata: 'The pairs of key and text that programs have stored with the deal.',
      fields: 'The values of all custom fields of deals by slug, archived fields included. Null where none is set.',
    },
    ExportedTask: {
      metadata: 'The pairs of key and text that programs have stored with the task.',
      fields: 'The values of all custom fields of tasks by slug, archived fields included. Null where none is set.',
    },
    EraseContact: { confirm: 'The id of the contact as text, such as `"7"`. It proves that you mean this contact.' },
  },
  like: {
    ContactWithTags: 'Contact',
    UpsertContact: 'CreateContact',
    PatchContact: 'CreateContact',
    CreateContactItem: 'CreateContact',
    UpsertContactItem: 'UpsertContact',
    UpdateContactItem: 'CreateContact',
    AddContactTagItem: 'AddTag',
    ExportedDeal: 'Deal',
    ExportedTask: 'Task',
  },
  enums: {
    ContactAddressKind: 'The kind of an address: an e-mail address or a phone number.',
    Archived: [
      'Which entries a list has.',
      { false: 'those that are not archived', true: 'only archived ones', all: 'both' },
    ],
    ContactStage: [
      'How far the relationship with a contact has come. Any stage can follow any other.',
      {
        new: 'nobody has answered yet; the default',
        contacted: 'the workspace has written',
        engaged: 'the contact has answered',
        qualified: 'a sale is likely',
        customer: 'the contact has bought; terminal in the pipeline',
        lost: 'nothing will come of it; terminal in the pipeline',
      },
    ],
    Platform: 'The messaging platform of a contact or of an account; `twitter` is X.',
  },
};
