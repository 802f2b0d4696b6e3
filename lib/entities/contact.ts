import * as v from 'valibot';
import { Identities, platforms } from '#lib/core/channel.ts';
import { contactStages } from '#lib/core/choices.ts';
import { countedMonth, epochSeconds } from '#lib/core/clock.ts';
import { includeQuery, onRequest } from '#lib/core/include.ts';
import { addressKey, oneAddress } from '#lib/core/mail-address.ts';
import { fixedInPatch, metadataFilter, metadataIndex, metadataInput, StoredMetadata } from '#lib/core/metadata.ts';
import {
  checked,
  choice,
  commonFilters,
  id,
  idInput,
  integer,
  listInput,
  nullableLine,
  nullablePattern,
  nullableText,
  objectInput,
  paging,
  queryBoolean,
  queryIdOrNone,
  queryInteger,
  queryText,
  reading,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { entity, type Holding } from '#lib/table/entity.ts';
import { archivable, archivedFilter, archiveIndex, shownArchive } from './archive.ts';
import { addressIndexes, ContactAddress, storedAddresses } from './contact-address.ts';
import { StoredConversation, snoozeTimer } from './conversation.ts';
import { customValues, fieldsInput, linkReferences, shownFields, valueIndexes } from './field.ts';
import { Tag, tagName } from './tag.ts';

const username = (value: string) => value.replace(/^@/, '');
const phoneForm = /^[+\-()./ ]*(?:\d[+\-()./ ]*){5,20}$/;
/** Spaces and dashes of print, and what is not seen, come with numbers that are copied. */
const copiedPhone = (value: string) =>
  value
    .replace(/[\p{Bidi_Control}\u00ad\u200b-\u200d\ufeff]/gu, '')
    .replace(/\p{Zs}/gu, ' ')
    .replace(/[\u2010-\u2015]/g, '-');

export const phoneInput = () =>
  nullablePattern(phoneForm, 32, '5 to 20 digits with + - ( ) . / and spaces', copiedPhone);
export const emailInput = () => nullablePattern(oneAddress, 254, 'one e-mail address, such as ada@example.com');

/** Fields of a contact that callers set, with the limits of contract section 2. */
const given = {
  name: nullableLine(200),
  username: nullablePattern(/^[A-Za-z0-9_.]{1,64}$/, 64, '1 to 64 letters, digits, _ or .', username),
  phone: phoneInput(),
  email: emailInput(),
  company: nullableLine(200),
  notes: nullableText(10_000),
};

const shown = {
  id: id(),
  platform: storedChoice(platforms),
  name: v.nullable(v.string()),
  username: v.nullable(v.string()),
  phone: v.nullable(v.string()),
  email: v.nullable(v.string()),
  company: v.nullable(v.string()),
  notes: v.nullable(v.string()),
  stage: storedChoice(contactStages),
  leadScore: v.nullable(integer(0, 100)),
  leadScoreIsAi: v.boolean(),
  assignedToUserId: v.nullable(id()),
  createdAt: time(),
  lastMessageAt: v.nullable(time()),
  hasUnreadMessages: v.boolean(),
};

/** A company of a contact (revision 1.4, section 29). */
export const ContactCompany = v.pipe(
  v.object({ companyId: id(), name: v.string(), title: v.nullable(v.string()), isPrimary: v.boolean() }),
  v.title('ContactCompany'),
);

/** Members that `include` adds. */
const included = {
  updatedAt: v.nullable(time()),
  fields: shownFields(),
  companies: v.array(ContactCompany),
  addresses: v.array(ContactAddress),
  tags: v.array(Tag),
  archive: shownArchive(),
};
export const ContactInclude = v.object(includeQuery(included));

/** A contact as lists show it (base document, "Contact"). */
export const Contact = v.pipe(v.object({ ...shown, ...onRequest(included) }), v.title('Contact'));
/** A contact as get-by-id and the answers to writes show it. */
export const ContactWithTags = v.pipe(
  v.object({ ...shown, ...onRequest(included), tags: v.array(Tag) }),
  v.title('ContactWithTags'),
);

/** The fields that create, patch and upsert share. */
export const contactFields = {
  name: v.optional(given.name),
  username: v.optional(given.username),
  phone: v.optional(given.phone),
  email: v.optional(given.email),
  company: v.optional(given.company),
  notes: v.optional(given.notes),
};

/** Values of custom fields; a write sets those that it names. */
const custom = { fields: v.optional(fieldsInput()) };

export const PatchContact = v.pipe(v.object({ ...contactFields, ...custom }), v.title('PatchContact'));
export type ContactFields = { [Field in keyof typeof contactFields]?: v.InferOutput<(typeof contactFields)[Field]> };

/** Fields that PATCH does not change, each with the operation that does (contract section 2). */
export const readOnlyInPatch = {
  platform: 'POST /v1/contacts: the platform of a contact is fixed',
  stage: 'POST /v1/contacts/{id}/stage',
  assignedToUserId: 'POST /v1/contacts/{id}/assignee',
  leadScore: 'POST /v1/contacts/{id}/lead-score',
  tags: 'POST /v1/contacts/{id}/tags',
  ...fixedInPatch('contacts'),
};

const leadScore = () => v.nullable(integer(0, 100));

export const SetContactStage = v.pipe(v.object({ stage: choice(contactStages) }), v.title('SetContactStage'));
export const SetContactAssignee = v.pipe(v.object({ userId: v.nullable(idInput()) }), v.title('SetContactAssignee'));
export const SetLeadScore = v.pipe(v.object({ score: leadScore() }), v.title('SetLeadScore'));

/** Every field of a contact that one call of the batch may change. */
export const contactChanges = {
  ...contactFields,
  stage: v.optional(choice(contactStages)),
  assignedToUserId: v.optional(v.nullable(idInput())),
  leadScore: v.optional(leadScore()),
  ...custom,
};
export type ContactChange = { [Field in keyof typeof contactChanges]?: v.InferOutput<(typeof contactChanges)[Field]> };

/** Limit of tag names in one call: an update of every field with as many tags that are new still fits one transaction. */
const maxTagsAtOnce = 15;

/** Further fields of a creation; an upsert adds the tags and the pairs of metadata to those that are there. */
const added = {
  tags: v.optional(listInput(tagName(), maxTagsAtOnce, 'tags')),
  metadata: v.optional(metadataInput()),
};
export type ContactAddition = { [Field in keyof typeof added]?: v.InferOutput<(typeof added)[Field]> };

export const CreateContact = v.pipe(
  v.object({ platform: v.optional(choice(platforms), telegram.name), ...contactChanges, ...added }),
  v.title('CreateContact'),
);

const matchKeys = ['username', 'phone', 'email'] as const;
export type MatchKey = (typeof matchKeys)[number] | `metadata.${string}` | `fields.${string}`;
const matchForm = /^(username|phone|email|metadata\.[A-Za-z0-9_.-]{1,40}|fields\.[a-z][a-z0-9_]{0,39})$/;

/** A field that tells people apart, `metadata.<key>`, whose key keeps its case, or `fields.<slug>` of a unique field. */
const matchOn = () =>
  reading(
    v.pipe(
      v.string(),
      checked<string>(
        'picklist',
        (key) => matchForm.test(key),
        `must be one of ${matchKeys.join(', ')}, metadata.<key>, fields.<slug>`,
      ),
      v.metadata({ pattern: matchForm.source }),
      v.examples(['phone', 'metadata.externalId']),
    ),
    (value) => {
      const key = typeof value === 'string' ? value.trim() : value;
      return typeof key === 'string' && !/^(metadata|fields)\./.test(key) ? key.toLowerCase() || undefined : key;
    },
  ) as unknown as v.GenericSchema<MatchKey>;

export const UpsertContact = v.pipe(
  v.object({ matchOn: matchOn(), ...CreateContact.entries }),
  v.title('UpsertContact'),
);

/** One of the two; `tagId` goes before `tagName`. */
export const tagFields = { tagId: v.optional(idInput()), tagName: v.optional(tagName()) };
export const AddTag = v.pipe(v.object(tagFields), v.title('AddTag'));

export const MergeContacts = v.pipe(v.object({ sourceContactId: idInput() }), v.title('MergeContacts'));

export const DuplicateQuery = v.object({ ...paging, ...ContactInclude.entries });
export const ContactsOfCompanyQuery = v.object({ ...DuplicateQuery.entries, ...archivedFilter });

export const ContactQuery = v.object({
  ...paging,
  platform: v.optional(choice(platforms)),
  q: v.optional(queryText()),
  stage: v.optional(choice(contactStages)),
  assignedToUserId: v.optional(queryIdOrNone()),
  tagId: v.optional(queryInteger()),
  companyId: v.optional(queryInteger()),
  minScore: v.optional(queryInteger(0, 100)),
  hasUnread: v.optional(queryBoolean()),
  ...archivedFilter,
  email: v.optional(queryText(254)),
  phone: v.optional(queryText()),
  username: v.optional(queryText()),
  ...ContactInclude.entries,
  ...commonFilters,
  ...metadataFilter,
});

/** Spelling does not tell people apart. */
const normalisedUsername = (name: string) => username(name.trim()).toLowerCase();

/** Normal forms of fields that identify a person, for comparison. */
export const normalize = { username: normalisedUsername, email: addressKey };

/** Relation of a contact and an account. */
const Reach = v.object({
  accountId: id(),
  /** The contact's on the account's channel. */
  userId: v.nullable(v.string()),
  lastInboundAt: v.nullable(time()),
  lastOutboundAt: v.nullable(time()),
});
export type Reach = v.InferOutput<typeof Reach>;

/** A way in which a contact is reached (contract 22.5). */
export const ContactChannel = v.pipe(
  v.object({
    channel: storedChoice(platforms),
    accountId: id(),
    accountName: v.string(),
    userId: v.nullable(v.string()),
    username: v.nullable(v.string()),
    blockedAt: v.nullable(time()),
    lastInboundAt: v.nullable(time()),
    lastOutboundAt: v.nullable(time()),
  }),
  v.title('ContactChannel'),
);

/** Number of accounts kept for a contact: every write of the contact includes them. */
export const maxReach = 50;

const StoredContactCompany = v.object({ companyId: id(), title: v.nullable(v.string()), isPrimary: v.boolean() });
export type StoredContactCompany = v.InferOutput<typeof StoredContactCompany>;

const companiesOf = (row: Readonly<Record<string, unknown>>) =>
  (row['companyLinks'] ?? []) as readonly StoredContactCompany[];

/** Companies as contacts hold them: the base field `company` shows the name of the primary one. */
const heldCompanies: Holding = {
  ids: (row) => companiesOf(row).map(({ companyId }) => companyId),
  where: (company) => ({ company }),
  moved(row, from, to) {
    const before = companiesOf(row);
    const isKnown = to !== null && before.some(({ companyId }) => companyId === to.id);
    const wasPrimary = before.some(({ companyId, isPrimary }) => companyId === from && isPrimary);
    const companies = before.flatMap((link) => {
      if (link.companyId === from) return to === null || isKnown ? [] : [{ ...link, companyId: to.id }];
      return [wasPrimary && link.companyId === to?.id ? { ...link, isPrimary: true } : link];
    });
    return { companyLinks: companies, ...(wasPrimary && { company: to?.name ?? null }) };
  },
  renamed: (row, { id, name }) =>
    companiesOf(row).some(({ companyId, isPrimary }) => companyId === id && isPrimary) ? { company: name } : {},
};

export const ContactCompanies = v.pipe(v.object({ items: v.array(ContactCompany) }), v.title('ContactCompanies'));
export const maxCompanies = 10;
const companyInput = v.pipe(
  objectInput({
    companyId: idInput(),
    title: v.optional(nullableLine(200), null),
    isPrimary: v.optional(v.boolean(), false),
  }),
  v.title('ContactCompanyInput'),
);
export const PutContactCompanies = v.pipe(
  v.object({ items: listInput(companyInput, maxCompanies, 'companies') }),
  v.title('PutContactCompanies'),
);

/** A contact. */
export const Contacts = entity({
  name: 'contact',
  schema: v.object({
    ...shown,
    updatedAt: v.nullable(v.string()),
    tagIds: v.array(id()),
    metadata: StoredMetadata,
    identities: Identities,
    /** Unknown of a contact that has not been written since this is kept. */
    reach: v.optional(v.array(Reach)),
    ...storedAddresses,
    /** A deal or an enrollment shows its name, or once did. */
    isNameShown: v.optional(v.boolean()),
    /** The companies of the contact; `company` shows the name of the primary one. */
    companyLinks: v.optional(v.array(StoredContactCompany)),
    ...customValues,
    /** Absent until a message was received or sent. */
    conversation: v.exactOptional(StoredConversation),
    ...archivable,
  }),
  references: [
    { to: 'tag', field: 'tagIds' },
    { to: 'company', field: 'companyLinks', holds: heldCompanies, counts: 'contactCount' },
    ...linkReferences,
  ],
  isMergeable: true,
  isArchivable: true,
  indexes: {
    created: { order: ({ createdAt }) => createdAt },
    platform: { of: ({ platform }) => platform },
    stage: { of: ({ stage }) => stage },
    assignee: { of: ({ assignedToUserId }) => assignedToUserId ?? 'none' },
    unread: ({ hasUnreadMessages }) => hasUnreadMessages,
    username: ({ username }) => username !== null && normalisedUsername(username),
    /** One person may hold a username on one platform, and another on the next. */
    handle: {
      of: ({ platform, username }) => username !== null && { platform, username: normalisedUsername(username) },
      at: 'username/{platform}={username}',
      isKeptArchived: true,
    },
    ...addressIndexes,
    identity: {
      of: ({ identities }) => Object.entries(identities).map(([channel, userId]) => ({ channel, userId })),
      at: '{channel}={userId}',
      isKeptArchived: true,
    },
    tag: ({ tagIds }) => tagIds,
    company: ({ companyLinks = [] }) => companyLinks.map(({ companyId }) => companyId),
    ...valueIndexes,
    ...archiveIndex,
    metadata: metadataIndex,
  },
  counters: {
    /** The columns of the contacts' pipeline (contract section 12). */
    contacts: { of: ({ stage }) => ({ name: `stage=${stage}`, add: { count: 1 } }) },
    /** How many were made in a month, and have something unread (contract section 11): in the rows that `contacts` has anyway. */
    figures: {
      of: ({ stage, createdAt, hasUnreadMessages }) => ({
        name: `stage=${stage}`,
        add: { [countedMonth(createdAt)]: 1, unread: Number(hasUnreadMessages) },
      }),
      group: 'contacts',
    },
  },
  timer: ({ id, conversation }, tenant) => snoozeTimer(conversation, { contactId: id }, tenant),
});

export type StoredContact = v.InferOutput<(typeof Contacts)['schema']>;

/** By what somebody was known. */
export const Traces = v.object({
  username: v.nullable(v.string()),
  /** At the platforms. */
  userIds: v.array(v.string()),
  /** The same by platform: `telegram/4711`, `telegram/@anna`. */
  names: v.array(v.string()),
  /** The accounts that had to do with them. */
  accountIds: v.array(id()),
});
export type Traces = v.InferOutput<typeof Traces>;

/** Into whom a contact was merged. Rows that still name it find their way. */
export const MergedContacts = entity({
  name: 'merged-contact',
  schema: v.object({
    id: id(),
    into: id(),
    /**
     * Identifiers of a merged contact, kept so that its erasure also erases them: the target has taken over its addresses, and not all
     * of these.
     */
    traces: v.optional(Traces),
    /** The username that it had, where the one it was merged into has another. */
    handle: v.optional(v.object({ platform: v.picklist(platforms), username: v.string() })),
  }),
  indexes: {
    into: ({ into }) => into,
    handle: {
      of: ({ handle }) => handle !== undefined && handle,
      at: 'username/{platform}={username}',
    },
  },
});

const upsertKeptSeconds = 60;

/**
 * Keeps two upserts of the same person from making two contacts, and of the same name two companies. Two that both find nobody meet
 * here, and the later one looks again.
 */
export const Upserts = entity({
  name: 'upsert',
  schema: v.object({ match: v.string(), contactId: v.optional(id()), companyId: v.optional(id()) }),
  sortKey: ({ match }) => match,
  expiresAtSeconds: () => epochSeconds() + upsertKeptSeconds,
});
