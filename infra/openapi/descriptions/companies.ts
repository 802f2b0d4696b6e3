import type { Noun } from './noun.ts';

const facts = {
  name: 'Name of the company, in one line of 1 to 200 characters.',
  domains:
    'Host names of the company, at most 20, in lower case and without `www.`. A domain belongs to one company of an environment.',
  website: 'Address of the website, at most 2,048 characters.',
  phone: 'Phone number, stored as you write it: 5 to 20 digits with `+ - ( ) . /` and spaces, at most 32 characters.',
  address: 'Postal address, at most 500 characters.',
  notes: 'Free text about the company, at most 10,000 characters. For a dated history, add activities instead.',
  assignedToUserId: 'Id of the member who looks after the company, from `GET /v1/members`. Null when nobody does.',
  fields: 'Custom values by slug, as `GET /v1/fields` defines them; null clears one, and slugs left out keep theirs.',
};

export const companies: Noun = {
  about: 'Organizations that contacts work for and deals are made with, with their domains, notes, and duplicates.',
  operations: {
    companiesList:
      'Lists companies, newest first. Combine the filters: all of them must match. Use `domain` to find the company of an address, and `updatedSince` to sync changes.',
    companiesSearch:
      'Finds companies by any combination of conditions on any field, custom ones included, in any order. It sees every write that was answered before. Use it where the filters of the list are too few; it changes nothing.',
    companiesCreate:
      'Creates a company. A domain that another company has answers 409 `domain_taken`. Contacts with an address at a domain of the company, and without a company, are linked in the background. Emits `company.created`.',
    companiesGet:
      'Returns one company. Send `If-None-Match` to save the transfer when nothing has changed. Contacts and activities have lists of their own.',
    companiesPatch:
      'Changes the fields that the body names; null clears one. A new name shows on the contacts of the company within ten seconds. Emits `company.updated` and writes one activity for each changed field.',
    companiesUpsert:
      'Creates a company, or changes the one that matches by domain, by name in any case, or by a unique custom field. A matched `domain` is added to the domains. Several matches answer 409 `ambiguous_match` with `companyIds`.',
    companiesArchive:
      'Archives a company: lists, search, and duplicates leave it out, and its domains and unique values become free. Its contacts and deals keep it. The same again changes nothing. Emits `company.archived`.',
    companiesRestore:
      'Restores an archived company. If another company has a domain or a unique value by then, it answers 409 `domain_taken` or `field_value_taken`. It links no contacts anew. The same again changes nothing. Emits `company.restored`.',
    companiesBatch:
      'Creates and changes up to 100 companies in one call. Each item succeeds or fails separately and has its own status in the results. With `atomic`, of at most 10 items, one failure undoes all of them.',
    companiesMerge:
      'Merges another company into this one. This company keeps its own values and takes those it lacks, with all domains, contacts, deals, and notes. The source answers 404 afterwards, and nothing brings it back.',
    companiesListDuplicates:
      'Lists companies that may be the same: they have a domain of the same registrable one, or the same name without case, accents, and legal form. Nothing is merged; use `POST /v1/companies/{id}/merge` for that.',
    companiesListContacts:
      'Lists the contacts of a company, newest first. The key needs `contacts:read` as well. Use it to see who works there; titles are in `GET /v1/contacts/{id}/companies`.',
    companiesListActivities:
      'Lists the history of a company, newest first: notes, changed fields, assignees, and contacts that came or went. Filter by `type` to see only notes, for example.',
    companiesCreateActivity:
      'Adds a note to the history of a company. Use it for calls and meetings. Emits `company.note_added`. The field `notes` of the company stays as it is.',
    companiesGetFields:
      'Returns the custom values of a company: every field that is not archived, null where none is set. Use it when you need nothing else, or ask for `include=fields` of the company.',
    companiesPatchFields:
      'Sets the custom values that the body names; null clears one, and the others stay. A unique value that another company has answers 409 `field_value_taken`. Emits `company.updated`.',
    companiesGetMetadata:
      'Returns the metadata of a company: your own pairs of key and text. Companies do not include them. Use it to look up which record of your system a company belongs to.',
    companiesPatchMetadata:
      'Changes some pairs of the metadata of a company: sets those in the body, and removes those that are null. Pairs left out stay. Emits `company.updated` with `changed` `["metadata"]`.',
    companiesPutMetadata:
      'Replaces all metadata of a company. Pairs that the body leaves out are removed, so read them first if you want to add one. Emits `company.updated`.',
  },
  parameters: {
    '*': {
      id: 'Id of the company, as in `GET /v1/companies`.',
      include:
        'Members to add to each entry of the answer, separated by commas: `fields` and `archive`. Default none. Another name is 400 `invalid_enum`.',
      type: 'Only activities of these types, separated by commas, for example `Note,ContactAdded`.',
    },
    companiesListContacts: {
      include:
        'Members to add to each contact of the answer, separated by commas: `fields`, `companies`, `addresses`, `tags`, `updatedAt`, and `archive`. Default none.',
    },
    companiesList: {
      q: 'Only companies whose name and domains together contain all words of this text, in any case and with or without accents. At most 200 characters.',
      domain: 'Only the company that has exactly this domain, for example `example.com`.',
      assignedToUserId: 'Only companies of this member. `none` finds those that nobody looks after.',
    },
  },
  schemas: {
    Company: {
      ...facts,
      fields: 'The custom values by slug, null where none is set. Only with `include=fields`.',
      id: 'Id of the company, unique within its environment and never used again.',
      contactCount: 'How many contacts are linked to the company.',
      openDealCount: 'How many deals of the company are in an active stage.',
    },
    CreateCompany: {
      ...facts,
      metadata: 'Your own pairs of key and text, at most 50. An upsert sets them and keeps the others.',
    },
    PatchCompany: facts,
    UpsertCompany: {
      ...facts,
      name: 'Name of the company, 1 to 200 characters. Required for a new company.',
      matchOn:
        'The field that finds the company: `domain`, `name`, or `fields.<slug>` of a unique field. The body must contain it.',
      domain: 'The domain to match, for example `example.com`. It is added to the domains of the company.',
    },
    UpdateCompanyItem: { ...facts, id: 'Id of the company that this item changes.' },
    MergeCompanies: {
      sourceCompanyId: 'Id of the company to merge into the one in the path. It answers 404 afterwards.',
    },
    CreateCompanyNote: { text: 'The note, 1 to 10,000 characters of plain text.' },
    CompanyActivity: {
      id: 'Id of the activity, rising with time.',
      companyId: 'Id of the company whose history this is.',
      type: [
        'The kind of activity. It decides which of the other fields have a value.',
        {
          Note: 'somebody wrote `text`',
          Created: 'the company was created',
          FieldUpdated: '`field` changed from `oldValue` to `newValue`',
          Assigned: 'a member, whose id is `newValue`, got the company',
          Unassigned: 'the company lost its member',
          ContactAdded: 'the contact `contactId` was linked to the company',
          ContactRemoved: 'the contact `contactId` was unlinked',
        },
      ],
      text: 'The text of a note. Null for every other type.',
      field: 'Name of the field that changed, for example `website`. Null unless the type is `FieldUpdated`.',
      oldValue: 'The value before the change, as text. Null when there was none.',
      newValue: 'The value after the change, as text. Null when it was cleared.',
      contactId: 'Id of the contact that came or went. Null for every other type, and after its erasure.',
      actorType: 'Kind of actor: a member, a program, an AI agent, or the system.',
      actorUserId: 'Id of the member who did it in the panel. Null when nobody did, or a program.',
      actorKeyId: 'The 12-character id of the API key that did it. Null for everything else.',
      createdAt: 'When it happened, in UTC to the second.',
    },
    ContactCompany: {
      companyId: 'Id of the company that the contact is linked to.',
      name: 'Name of the company as it is now.',
      title: 'Role of the contact there, for example `Head of Sales`. Null when nobody has said so.',
      isPrimary: 'Whether this is the company that `company` of the contact shows.',
    },
    ContactCompanyInput: {
      companyId: 'Id of a company, as in `GET /v1/companies`.',
      title: 'Role of the contact there, at most 200 characters. Default null.',
      isPrimary: 'Whether `company` of the contact shows this one. Default: the first of the list.',
    },
    ContactCompanies: { items: 'The companies of the contact, in the order in which they were put.' },
    PutContactCompanies: { items: 'All companies of the contact, at most 10. Companies left out are unlinked.' },
    CompanyBatchResult: { company: 'The company after the change. Null when the item failed.' },
  },
  like: {
    UpsertCompany: 'CreateCompany',
    CreateCompanyItem: 'CreateCompany',
    UpsertCompanyItem: 'UpsertCompany',
    CompanyBatch: 'ContactBatch',
    CompanyBatchResult: 'ContactBatchResult',
    CompanyBatchResults: 'ContactBatchResults',
  },
};
