import { type ExportObject, fieldObjectOf } from '#lib/core/choices.ts';
import { metadataKeyIn } from '#lib/core/metadata.ts';
import type { FieldType, StoredField } from '#lib/entities/field.ts';
import type { CellKind } from './cells.ts';

/** A column of a sheet: one value of each record. */
export interface Column {
  /** As the API names it: `email`, `fields.size`, `metadata.source`. */
  name: string;
  kind: CellKind;
  /** Returns its value of a record, as the API shows the record with all that `include` adds. */
  of(record: Shown): unknown;
}

/** A record as answers show it. */
export type Shown = Readonly<Record<string, unknown>>;

/** Returns the value at a path of names: `pipeline.id`. */
const at =
  (...path: string[]) =>
  (record: Shown): unknown =>
    path.reduce<unknown>((value, name) => memberOf(value, name), record);

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? ((value as Shown)[name] ?? null) : null;

/** Returns the values that the members of a list have at a name. */
const each = (list: string, name: string) => (record: Shown) =>
  ((record[list] ?? []) as Shown[]).map((member) => member[name]);

type Kinds = Readonly<Record<string, CellKind>>;

/** Returns columns whose names are those of the record. */
const plain = (kinds: Kinds): Column[] => Object.entries(kinds).map(([name, kind]) => ({ name, kind, of: at(name) }));

const archivedAt: Column = { name: 'archivedAt', kind: 'time', of: at('archive', 'archivedAt') };
const metadata: Column = { name: 'metadata', kind: 'json', of: at('metadata') };

const contacts: Column[] = [
  ...plain({
    id: 'integer',
    platform: 'text',
    name: 'text',
    username: 'text',
    phone: 'text',
    email: 'text',
  }),
  { name: 'addresses', kind: 'texts', of: each('addresses', 'value') },
  ...plain({ company: 'text' }),
  { name: 'companies', kind: 'texts', of: each('companies', 'name') },
  { name: 'companyId', kind: 'integers', of: each('companies', 'companyId') },
  ...plain({ notes: 'text', stage: 'text' }),
  { name: 'tags', kind: 'texts', of: each('tags', 'name') },
  ...plain({
    leadScore: 'integer',
    leadScoreIsAi: 'boolean',
    assignedToUserId: 'integer',
    createdAt: 'time',
    updatedAt: 'time',
    lastMessageAt: 'time',
    hasUnreadMessages: 'boolean',
  }),
  archivedAt,
  metadata,
];

const companies: Column[] = [
  ...plain({
    id: 'integer',
    name: 'text',
    domains: 'texts',
    website: 'text',
    phone: 'text',
    address: 'text',
    notes: 'text',
    assignedToUserId: 'integer',
    contactCount: 'integer',
    openDealCount: 'integer',
    createdAt: 'time',
    updatedAt: 'time',
  }),
  archivedAt,
  metadata,
];

const deals: Column[] = [
  ...plain({ id: 'integer', title: 'text', contactId: 'integer', contactName: 'text' }),
  { name: 'companyId', kind: 'integer', of: at('company', 'id') },
  { name: 'company', kind: 'text', of: at('company', 'name') },
  ...plain({ value: 'number', currency: 'text', stage: 'text' }),
  { name: 'pipelineId', kind: 'integer', of: at('pipeline', 'id') },
  { name: 'pipeline', kind: 'text', of: at('pipeline', 'name') },
  { name: 'columnId', kind: 'integer', of: at('pipeline', 'columnId') },
  { name: 'columnName', kind: 'text', of: at('pipeline', 'columnName') },
  { name: 'columnSince', kind: 'time', of: at('pipeline', 'columnSince') },
  { name: 'lostReason', kind: 'text', of: at('pipeline', 'lostReason') },
  ...plain({ probability: 'integer' }),
  { name: 'assignedToUserId', kind: 'integer', of: at('owner', 'assignedToUserId') },
  ...plain({
    expectedCloseAt: 'time',
    closedAt: 'time',
    notes: 'text',
    openTaskCount: 'integer',
    createdAt: 'time',
    updatedAt: 'time',
  }),
  archivedAt,
  metadata,
];

const tasks: Column[] = [
  ...plain({
    id: 'integer',
    title: 'text',
    status: 'text',
    priority: 'text',
    dueAt: 'time',
    isOverdue: 'boolean',
    description: 'text',
    contactId: 'integer',
    dealId: 'integer',
    assignedToUserId: 'integer',
    remindAt: 'time',
    completedAt: 'time',
    createdAt: 'time',
    updatedAt: 'time',
  }),
  archivedAt,
  metadata,
];

/** Notes of contacts and of companies; the other of the two is null. */
const notes = plain({
  id: 'integer',
  contactId: 'integer',
  companyId: 'integer',
  company: 'text',
  text: 'text',
  actorType: 'text',
  actorUserId: 'integer',
  actorKeyId: 'text',
  createdAt: 'time',
});

const messages = plain({
  id: 'integer',
  contactId: 'integer',
  channel: 'text',
  direction: 'text',
  body: 'text',
  threadId: 'text',
  accountId: 'integer',
  jobId: 'integer',
  status: 'text',
  isRead: 'boolean',
  attachments: 'json',
  entities: 'json',
  replyToMessageId: 'integer',
  forwardedFrom: 'text',
  data: 'json',
  sentAt: 'time',
  editedAt: 'time',
  readAt: 'time',
  createdAt: 'time',
});

const transactions = plain({
  id: 'integer',
  type: 'text',
  amount: 'number',
  currency: 'text',
  status: 'text',
  category: 'text',
  description: 'text',
  contactId: 'integer',
  dealId: 'integer',
  invoiceId: 'integer',
  revenueSourceId: 'integer',
  source: 'text',
  occurredAt: 'time',
  createdAt: 'time',
});

const invoices = plain({
  id: 'integer',
  invoiceNumber: 'text',
  status: 'text',
  currency: 'text',
  total: 'number',
  contactId: 'integer',
  issueDate: 'time',
  dueDate: 'time',
  paidAt: 'time',
});

const events = plain({
  sequence: 'integer',
  id: 'text',
  event: 'text',
  timestamp: 'time',
  livemode: 'boolean',
  data: 'json',
  truncated: 'texts',
  erased: 'boolean',
});

/** The columns that every environment has, in their order. */
export const columns: Readonly<Record<ExportObject, readonly Column[]>> = {
  contacts,
  companies,
  deals,
  tasks,
  notes,
  messages,
  transactions,
  invoices,
  events,
};

/** The objects whose records have custom fields, metadata, views, and an archive. */
export type RecordObject = keyof typeof fieldObjectOf;
export const isRecordObject = (object: ExportObject): object is RecordObject => Object.hasOwn(fieldObjectOf, object);

const otherKinds: Partial<Record<FieldType, CellKind>> = {
  number: 'number',
  money: 'money',
  checkbox: 'boolean',
  date: 'date',
  datetime: 'time',
  multi_select: 'texts',
  member: 'integer',
  contact: 'integer',
  company: 'integer',
  deal: 'integer',
};

/** Returns the column of a custom field. */
export const fieldColumn = ({ slug, type }: Pick<StoredField, 'slug' | 'type'>): Column => ({
  name: `fields.${slug}`,
  kind: otherKinds[type] ?? 'text',
  of: at('fields', slug),
});

/** Returns the column of a key of metadata (`metadata.source`); undefined for another name. */
export function metadataColumn(name: string): Column | undefined {
  const key = metadataKeyIn(name);
  return key === undefined ? undefined : { name, kind: 'text', of: at('metadata', key) };
}
