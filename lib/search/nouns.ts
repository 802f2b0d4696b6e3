import { platforms } from '#lib/core/channel.ts';
import { type CopiedNoun, contactStages, dealStages, taskPriorities, taskStatuses } from '#lib/core/choices.ts';
import { phoneDigits } from '#lib/core/phone.ts';
import { foldCase } from '#lib/core/text.ts';
import { Companies, type StoredCompany } from '#lib/entities/company.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { addressesOf } from '#lib/entities/contact-address.ts';
import { Deals, type StoredDeal } from '#lib/entities/deal.ts';
import { type StoredThread, Threads, textsOfThread, threadStatuses } from '#lib/entities/email-thread.ts';
import type { FieldObject, StoredField } from '#lib/entities/field.ts';
import { isOverdue, type StoredTask, Tasks } from '#lib/entities/task.ts';
import type { Entity } from '#lib/table/entity.ts';
import * as forms from './forms.ts';
import { address, boolean, choiceOf, email, id, type Kind, listOf, number, phone, text, time } from './kinds.ts';
import { company, member, tag } from './references.ts';

/** A field that filters and orders may name. */
export interface SearchField<Row = never> {
  kind: Kind;
  /** Returns what a row has of it; null, undefined, and an empty list are none. */
  of(row: Row, now: string): unknown;
  /** Columns of a copy that hold it, or of which it is made. */
  from: readonly string[];
  /** It is made of a row that has only these columns. */
  isMade?: true;
  /** Definition of a custom field. */
  field?: StoredField;
}

/** Fields by which records are filtered. */
export interface Filtered<Row = never> {
  /** Which records have custom fields and metadata; the others have none. */
  object?: FieldObject;
  fields: Readonly<Record<string, SearchField<Row>>>;
}

/** A kind of record that has a copy: its fields are the columns. */
export interface CopiedRecords<Row = never> extends Filtered<Row> {
  of: Entity;
  /** Returns the texts in which the words of `q` are looked for. */
  texts(row: Row): readonly (string | null)[];
}

/** A kind of record that is searched by its fields. */
export interface Noun<Row = never> extends CopiedRecords<Row> {
  object: FieldObject;
}

/** Fields whose rows hold them as answers show them. */
const plain = <Row>(kinds: { readonly [Name in keyof Row & string]?: Kind }): Record<string, SearchField<Row>> =>
  Object.fromEntries(
    Object.entries<Kind | undefined>(kinds).map(([name, kind]) => [
      name,
      { kind: kind as Kind, of: (row: Row) => row[name as keyof Row], from: [name] },
    ]),
  );

const contacts: Noun<StoredContact> = {
  object: 'contact',
  of: Contacts,
  fields: {
    ...plain<StoredContact>({
      id: number,
      platform: choiceOf(platforms),
      name: text,
      username: text,
      phone,
      email,
      company: text,
      notes: text,
      stage: choiceOf(contactStages),
      leadScore: number,
      leadScoreIsAi: boolean,
      assignedToUserId: member,
      createdAt: time,
      lastMessageAt: time,
      hasUnreadMessages: boolean,
      updatedAt: time,
    }),
    tags: { kind: listOf(tag), of: ({ tagIds }) => tagIds, from: ['tags'] },
    companyId: {
      kind: listOf(company),
      of: ({ companyLinks = [] }) => companyLinks.map(({ companyId }) => companyId),
      from: ['companyId'],
    },
    addresses: {
      kind: listOf(address),
      of: (row) => addressesOf(row).map(({ value }) => value),
      from: ['addresses'],
    },
  },
  texts: (row) => [row.name, row.username, row.phone, row.phone && phoneDigits(row.phone), row.email, row.company],
};

const companies: Noun<StoredCompany> = {
  object: 'company',
  of: Companies,
  fields: plain<StoredCompany>({
    id: number,
    name: text,
    domains: listOf(text),
    website: text,
    phone,
    address: text,
    notes: text,
    assignedToUserId: member,
    contactCount: number,
    openDealCount: number,
    createdAt: time,
    updatedAt: time,
  }),
  texts: (row) => [row.name, row.phone, row.phone && phoneDigits(row.phone), ...row.domains],
};

const deals: Noun<StoredDeal> = {
  object: 'deal',
  of: Deals,
  fields: plain<StoredDeal>({
    id: number,
    title: text,
    contactId: id('contact'),
    contactName: text,
    value: number,
    currency: text,
    stage: choiceOf(dealStages),
    probability: number,
    expectedCloseAt: time,
    closedAt: time,
    notes: text,
    openTaskCount: number,
    createdAt: time,
    updatedAt: time,
    assignedToUserId: member,
    companyId: company,
    pipelineId: id('pipeline'),
    columnId: id('column'),
  }),
  texts: (row) => [row.title],
};

const tasks: Noun<StoredTask> = {
  object: 'task',
  of: Tasks,
  fields: {
    ...plain<StoredTask>({
      id: number,
      title: text,
      status: choiceOf(taskStatuses),
      priority: choiceOf(taskPriorities),
      dueAt: time,
      description: text,
      contactId: id('contact'),
      dealId: id('deal'),
      assignedToUserId: member,
      remindAt: time,
      completedAt: time,
      createdAt: time,
      updatedAt: time,
    }),
    isOverdue: {
      kind: boolean,
      of: (row, now) => isOverdue(row, now),
      from: ['status', 'dueAt'],
      isMade: true,
    },
  },
  texts: (row) => [row.title],
};

/** Only one search over everything, and `q` of their list, look for threads. */
const threads: CopiedRecords<StoredThread> = {
  of: Threads,
  fields: {
    ...plain<StoredThread>({
      id: number,
      subject: text,
      preview: text,
      status: choiceOf(threadStatuses),
      unreadCount: number,
      isStarred: boolean,
      contactId: id('contact'),
      assignedToUserId: member,
      createdAt: time,
      lastMessageAt: time,
    }),
    participants: {
      kind: { ...text, form: forms.json },
      of: ({ participants }) => participants,
      from: ['participants'],
    },
  },
  texts: textsOfThread,
};

export const nouns = { contact: contacts, company: companies, deal: deals, task: tasks };

/** Returns the kind of record that an object is. */
export const nounOf = (object: FieldObject): Noun => nouns[object] as unknown as Noun;

const allCopied = { ...nouns, 'email-thread': threads } satisfies Record<CopiedNoun, unknown>;

/** Returns what a copy of an entity holds. */
export const copiedRecords = (noun: CopiedNoun): CopiedRecords => allCopied[noun] as unknown as CopiedRecords;

/** Returns the text in which the words of `q` are looked for. */
export const searchedText = <Row>({ texts }: CopiedRecords<Row>, row: Row): string =>
  foldCase(
    texts(row)
      .filter((one) => one)
      .join('\n'),
  );
