import * as v from 'valibot';
import { listAddresses } from '#lib/contacts/include.ts';
import { getContact } from '#lib/contacts/read.ts';
import { getContactCompanies } from '#lib/contacts/shown-companies.ts';
import { Metadata } from '#lib/core/metadata.ts';
import { time } from '#lib/core/schema.ts';
import { isAddressOfAnother, isThreadOfAnother } from '#lib/email/participants.ts';
import { listEmailMessages } from '#lib/email/store.ts';
import { Activities, Activity } from '#lib/entities/activity.ts';
import { ContactChannel, ContactCompany, ContactWithTags, type StoredContact } from '#lib/entities/contact.ts';
import { ContactAddress, valuesOf } from '#lib/entities/contact-address.ts';
import { Conversation } from '#lib/entities/conversation.ts';
import { Deal, Deals, toDealView } from '#lib/entities/deal.ts';
import { EmailMessage } from '#lib/entities/email-message.ts';
import { type StoredThread, Thread, Threads } from '#lib/entities/email-thread.ts';
import { Enrollment, Enrollments } from '#lib/entities/enrollment.ts';
import { type CustomValues, type FieldObject, shownFields } from '#lib/entities/field.ts';
import { ContactIdentity, Identities, toIdentityView } from '#lib/entities/identity.ts';
import { Invoice, Invoices } from '#lib/entities/invoice.ts';
import { Job, Jobs } from '#lib/entities/job.ts';
import { Message, Messages } from '#lib/entities/message.ts';
import { Task, Tasks, toTaskView } from '#lib/entities/task.ts';
import { FinanceTransaction, Transactions } from '#lib/entities/transaction.ts';
import { listChannels } from '#lib/messages/channels.ts';
import { heldBy, isVisible, toView } from '#lib/messages/conversation.ts';
import { threadsOnlyWith } from '#lib/privacy/threads.ts';
import { type Entity, fieldsWithin, type Item } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';

const lists = {
  activities: v.array(Activity),
  messages: v.array(Message),
  deals: v.array(
    v.pipe(v.object({ ...Deal.entries, metadata: Metadata, fields: shownFields() }), v.title('ExportedDeal')),
  ),
  tasks: v.array(
    v.pipe(v.object({ ...Task.entries, metadata: Metadata, fields: shownFields() }), v.title('ExportedTask')),
  ),
  enrollments: v.array(Enrollment),
  jobs: v.array(Job),
  invoices: v.array(Invoice),
  transactions: v.array(FinanceTransaction),
  identities: v.array(ContactIdentity),
};
const mails = { emailThreads: v.array(Thread), emailMessages: v.array(EmailMessage) };

const head = {
  exportedAt: time(),
  contact: ContactWithTags,
  metadata: Metadata,
  fields: shownFields(),
  companies: v.array(ContactCompany),
  addresses: v.array(ContactAddress),
  channels: v.array(ContactChannel),
  conversation: v.nullable(Conversation),
};

/** Everything about one person, each noun as the API shows it (contract section 26). */
export const ContactExport = v.pipe(
  v.object({ ...head, ...lists, ...v.partial(v.object(mails)).entries }),
  v.title('ContactExport'),
);

/** Whose data is written, with their mail or without it. */
export interface Subject {
  contact: StoredContact;
  hasMail: boolean;
  exportedAt: string;
}

/** Where a part goes on. */
interface Cursor {
  /** Below this id. */
  after: number | null;
  /** Which of the contact's e-mail addresses the threads name. */
  address?: number;
  /** In a thread whose mails are not all written. */
  thread?: { id: number; after: number | null };
}

/** How much of a document is written. */
export interface Place extends Cursor {
  part: number;
  /** Its list has no item yet. */
  isEmpty: boolean;
}

/** One way to items of a list, page by page; several may lead to the same list. */
interface Part {
  list: keyof typeof lists | keyof typeof mails;
  /** Whose rows are shown. */
  of: Entity;
  page(tx: UnitOfWork, subject: Subject, cursor: Cursor): Promise<{ items: readonly unknown[]; next: Cursor | null }>;
}

const pageLimit = 100;

interface Rows<E extends Entity> {
  /** How the API shows one; as it is stored without. */
  shown?(item: Item<E>, tx: UnitOfWork, contactId: number): unknown;
  /** The object whose custom fields the rows have. */
  object?: FieldObject;
  isMail?(item: Item<E>): boolean;
  shownBytes?: (item: Item<E>) => number;
}

/** Returns the values of all custom fields of a row, archived ones included. */
const allValues = (tx: UnitOfWork, object: FieldObject, row: CustomValues) =>
  shownValues(tx, object, row, { withArchived: true });

/** The rows of an entity that name the contact. */
function rowsOf<E extends Entity>(
  list: keyof typeof lists,
  of: E,
  { shown = (item) => item, object, isMail, shownBytes }: Rows<E> = {},
): Part {
  const liesWithContact = fieldsWithin(of).includes('contactId');
  const { item: schema } = lists[list];
  return {
    list,
    of,
    async page(tx, { contact: { id }, hasMail }, { after }) {
      const place = liesWithContact ? { within: { contactId: id } } : { where: { contact: id } };
      const { items, nextCursor } = await listPage(tx, of, {
        ...(place as object),
        archived: 'all',
        after: after ?? undefined,
        limit: pageLimit,
        ...(isMail && !hasMail && { matches: (item: Item<E>) => !isMail(item) }),
        ...(shownBytes && { shownBytes }),
      });
      const whole = async (item: Item<E>) => ({
        ...(shown(item, tx, id) as object),
        ...(object && { fields: await allValues(tx, object, item as CustomValues) }),
      });
      const documented = await Promise.all(items.map(async (item) => v.parse(schema, await whole(item))));
      return { items: documented, next: following(nextCursor) };
    },
  };
}

const following = (after: number | null): Cursor | null => (after === null ? null : { after });

/** Threads of a contact, and where they go on. */
interface Threading {
  items: StoredThread[];
  next: Cursor | null;
}
type ThreadsOf = (tx: UnitOfWork, contact: StoredContact, cursor: Cursor, limit: number) => Promise<Threading>;

const ownThreads: ThreadsOf = async (tx, contact, { after }, limit) => {
  const { id } = contact;
  const page = await listPage(tx, Threads, { where: { contact: id }, after: after ?? undefined, limit });
  const emails = valuesOf(contact, 'email');
  const isTheirs = async (thread: StoredThread) => !(await isThreadOfAnother(tx, thread, id, emails));
  const areTheirs = await Promise.all(page.items.map(isTheirs));
  return { items: page.items.filter((_, index) => areTheirs[index]), next: following(page.nextCursor) };
};

/** Returns the threads of mail that came before an address was known, one address after the other. No other contact takes part in them. */
const threadsNaming: ThreadsOf = async (tx, contact, { after, address = 0 }, limit) => {
  const emails = valuesOf(contact, 'email');
  const email = emails[address];
  const next = address + 1 < emails.length ? { after: null, address: address + 1 } : null;
  if (email === undefined || (await isAddressOfAnother(tx, email, contact.id))) return { items: [], next };
  const { items, nextCursor } = await threadsOnlyWith(tx, email, { after: after ?? undefined, limit });
  return { items, next: nextCursor === null ? next : { after: nextCursor, address } };
};

const threadsOf = (threads: ThreadsOf): Part => ({
  list: 'emailThreads',
  of: Threads,
  async page(tx, { contact }, cursor) {
    const { items, next } = await threads(tx, contact, cursor, pageLimit);
    return { items: items.map((thread) => v.parse(Thread, thread)), next };
  },
});

const mailsOf = (threads: ThreadsOf): Part => ({
  list: 'emailMessages',
  of: Threads,
  async page(tx, { contact }, { thread, ...cursor }) {
    if (!thread) {
      const { items, next } = await threads(tx, contact, cursor, 1);
      const [found] = items;
      return { items: [], next: found ? inThread(found.id, null, cursor.address) : next };
    }
    const { id } = thread;
    const behind = { ...cursor, after: id };
    // It may have gone with somebody else meanwhile.
    if (!(await tx.find(Threads, { id }))) return { items: [], next: behind };
    const page = await listEmailMessages(tx, id, { after: thread.after ?? undefined, limit: pageLimit });
    return {
      items: page.items.map((mail) => v.parse(EmailMessage, mail)),
      next: page.nextCursor === null ? behind : inThread(id, page.nextCursor, cursor.address),
    };
  },
});

const inThread = (id: number, after: number | null, address?: number): Cursor => ({
  after: id,
  thread: { id, after },
  ...(address !== undefined && { address }),
});

const isMail = ({ channel }: { channel: string }) => channel === 'email';

/** In the order of the document. Every entity that names contacts has one (test/contacts/export.test.ts). */
export const parts: readonly Part[] = [
  rowsOf('activities', Activities),
  rowsOf('messages', Messages, {
    shown: (message, _, contactId) => ({ ...message, contactId }),
    isMail,
    shownBytes: ({ body }) => Buffer.byteLength(body),
  }),
  rowsOf('deals', Deals, { shown: toDealView, object: 'deal' }),
  rowsOf('tasks', Tasks, { shown: (task, tx) => toTaskView(task, tx.now), object: 'task' }),
  rowsOf('enrollments', Enrollments),
  rowsOf('jobs', Jobs, { isMail }),
  rowsOf('invoices', Invoices),
  rowsOf('transactions', Transactions),
  rowsOf('identities', Identities, { shown: toIdentityView }),
  threadsOf(ownThreads),
  threadsOf(threadsNaming),
  mailsOf(ownThreads),
  mailsOf(threadsNaming),
];

const withoutMail = parts.filter(({ list }) => list in lists);

/**
 * Returns the JSON text of the document from a place on, up to a page of a list, and the next place (undefined at the end). If `tx` is
 * for an answer, unreadable rows are left out, as in lists.
 */
export async function nextText(
  tx: UnitOfWork,
  subject: Subject,
  place: Place | undefined,
): Promise<{ text: string; next: Place | undefined }> {
  const used = subject.hasMail ? parts : withoutMail;
  if (place === undefined) {
    const first = await headOf(tx, subject);
    return {
      text: `${first.slice(0, -1)}${between(undefined, used[0])}`,
      next: { part: 0, after: null, isEmpty: true },
    };
  }
  const { part, isEmpty, ...cursor } = place;
  const current = used[part] as Part;
  const { items, next } = await current.page(tx, subject, cursor);
  const text = items.map((item, index) => `${isEmpty && index === 0 ? '' : ','}${JSON.stringify(item)}`).join('');
  const isStillEmpty = isEmpty && items.length === 0;
  if (next) return { text, next: { ...next, part, isEmpty: isStillEmpty } };
  const other = used[part + 1];
  return {
    text: `${text}${between(current, other)}`,
    next: other && { part: part + 1, after: null, isEmpty: other.list !== current.list || isStillEmpty },
  };
}

/** Returns the JSON text between the items of two parts. */
function between(before: Part | undefined, after: Part | undefined): string {
  if (before?.list === after?.list) return '';
  return `${before ? ']' : ''}${after ? `,"${after.list}":[` : '}'}`;
}

async function headOf(tx: UnitOfWork, { contact, hasMail, exportedAt }: Subject): Promise<string> {
  const held = heldBy(contact);
  const [{ items: companies }, { items: addresses }, shown, fields, { items: channels }, conversation] =
    await Promise.all([
      getContactCompanies(tx, contact.id),
      listAddresses(tx, contact.id),
      getContact(tx, contact.id),
      allValues(tx, 'contact', contact),
      listChannels(tx, contact.id),
      held && isVisible(held, hasMail) ? toView(tx, held, { hasMail }) : null,
    ]);
  return JSON.stringify(
    v.parse(v.object(head), {
      exportedAt,
      contact: shown,
      metadata: contact.metadata,
      fields,
      companies,
      addresses,
      channels,
      conversation,
    }),
  );
}
