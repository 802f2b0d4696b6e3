import * as v from 'valibot';
import { metadataEntry, metadataFilter } from '#lib/metadata.ts';
import {
  choice,
  commonFilters,
  integer,
  nullablePattern,
  nullableText,
  paging,
  queryBoolean,
  queryIdOrNone,
  queryInteger,
  queryText,
  time,
} from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { searchEntry } from '#lib/table/list.ts';
import { Tag } from '#lib/tags/tag.ts';

export const platforms = ['telegram', 'twitter'] as const;
export const contactStages = ['new', 'contacted', 'engaged', 'qualified', 'customer', 'lost'] as const;
export type ContactStage = (typeof contactStages)[number];

const shown = {
  id: v.number(),
  platform: v.picklist(platforms),
  name: v.nullable(v.string()),
  username: v.nullable(v.string()),
  phone: v.nullable(v.string()),
  email: v.nullable(v.string()),
  company: v.nullable(v.string()),
  notes: v.nullable(v.string()),
  stage: v.picklist(contactStages),
  leadScore: v.nullable(integer(0, 100)),
  leadScoreIsAi: v.boolean(),
  assignedToUserId: v.nullable(v.number()),
  createdAt: time(),
  lastMessageAt: v.nullable(time()),
  hasUnreadMessages: v.boolean(),
};

/** A contact as lists show it (base document, "Contact"). */
export const Contact = v.pipe(v.object(shown), v.title('Contact'));
/** A contact as get-by-id and the answers to writes show it. */
export const ContactWithTags = v.pipe(v.object({ ...shown, tags: v.array(Tag) }), v.title('ContactWithTags'));

const username = (value: string) => value.replace(/^@/, '');
const phoneForm = /^(?=(?:\D*\d){5,20}\D*$)[\d+\-() ]+$/;

/** The fields that create, patch and upsert share, with the limits of contract section 2. */
export const contactFields = {
  name: v.optional(nullableText(200)),
  username: v.optional(nullablePattern(/^[A-Za-z0-9_.]{1,64}$/, 64, '1 to 64 letters, digits, _ or .', username)),
  phone: v.optional(nullablePattern(phoneForm, 32, '5 to 20 digits with + - ( ) and spaces')),
  email: v.optional(nullablePattern(/^[^@]+@[^@]+$/, 254, 'an e-mail address')),
  company: v.optional(nullableText(200)),
  notes: v.optional(nullableText(10_000)),
};

export const CreateContact = v.pipe(
  v.object({ platform: v.optional(choice(platforms), 'telegram'), ...contactFields }),
  v.title('CreateContact'),
);
export const PatchContact = v.pipe(v.object(contactFields), v.title('PatchContact'));
export type ContactFields = v.InferOutput<typeof PatchContact>;

export const ContactQuery = v.object({
  ...paging,
  platform: v.optional(choice(platforms)),
  q: v.optional(queryText()),
  stage: v.optional(choice(contactStages)),
  assignedToUserId: v.optional(queryIdOrNone()),
  tagId: v.optional(queryInteger()),
  minScore: v.optional(queryInteger(0, 100)),
  hasUnread: v.optional(queryBoolean()),
  email: v.optional(queryText()),
  phone: v.optional(queryText()),
  username: v.optional(queryText()),
  ...commonFilters,
  ...metadataFilter,
});

/** Spelling does not tell people apart. */
export const normalisedPhone = (phone: string) => phone.replace(/\D/g, '');
export const normalisedEmail = (email: string) => email.trim().toLowerCase();
export const normalisedUsername = (name: string) => username(name.trim()).toLowerCase();

export const Contacts = entity({
  name: 'contact',
  schema: v.object({
    ...shown,
    updatedAt: v.nullable(v.string()),
    tagIds: v.array(v.number()),
    metadata: v.record(v.string(), v.string()),
    telegramUserId: v.nullable(v.number()),
    twitterUserId: v.nullable(v.string()),
  }),
  indexes: (contact) => [
    { name: `stage=${contact.stage}` },
    { name: `assignee=${contact.assignedToUserId ?? 'none'}` },
    contact.hasUnreadMessages && { name: 'unread' },
    contact.username !== null && { name: `username=${normalisedUsername(contact.username)}` },
    contact.phone !== null && { name: `phone=${normalisedPhone(contact.phone)}` },
    contact.email !== null && { name: `email=${normalisedEmail(contact.email)}` },
    contact.telegramUserId !== null && { name: `telegram=${contact.telegramUserId}` },
    contact.twitterUserId !== null && { name: `twitter=${contact.twitterUserId}` },
    ...contact.tagIds.map((id) => ({ name: `tag=${id}` })),
    metadataEntry(contact.metadata),
    searchEntry([contact.name, contact.username, contact.phone]),
  ],
});

export type StoredContact = v.InferOutput<(typeof Contacts)['schema']>;
