import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { createContact } from '#lib/contacts/create.ts';
import { mergeContacts } from '#lib/contacts/merge.ts';
import { attachTag, detachTag } from '#lib/contacts/tagging.ts';
import { createTag, listTags } from '#lib/contacts/tags.ts';
import { upsertContact } from '#lib/contacts/upsert.ts';
import { Problem } from '#lib/core/problem.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { createDeal, winDeal } from '#lib/deals/store.ts';
import { parseMail } from '#lib/email/mail.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { CreateDeal } from '#lib/entities/deal.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { CreateInvoice } from '#lib/entities/invoice.ts';
import { CreateSequence } from '#lib/entities/sequence.ts';
import { Transactions } from '#lib/entities/transaction.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { createInvoice, payInvoice } from '#lib/finance/invoice-store.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { createSequence, getSequence } from '#lib/sequences/store.ts';
import { listAll } from '#lib/table/list.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { receiveMail } from '#lib/transport/receiving/mail.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { createEndpoint } from '#lib/webhooks/store.ts';
import { trusted } from '#test/email/raw.ts';
import { lateReads } from '#test/faults/late.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

let tenant: Tenant;
let accountId: number;
beforeAll(async () => {
  tenant = { workspaceId: (await newWorkspace()).id, env: 'test' };
  accountId = (await newAccount(tenant)).id;
});

const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, work);

let made = 0;
const fresh = () => {
  made += 1;
  return `late${made}`;
};
const freshValues = {
  username: fresh,
  phone: () => `+1555${fresh().replace('late', '').padStart(7, '0')}`,
  email: () => `${fresh()}@example.com`,
};
const newContact = () => run((tx) => createContact(tx, { platform: 'telegram', name: fresh() }));

/** What two may do at once. */
interface Meeting<Place> {
  does: string;
  before: () => Promise<Place>;
  work: (tx: UnitOfWork, place: Place) => Promise<unknown>;
  /** What the other one does; the same without. */
  rival?: (tx: UnitOfWork, place: Place) => Promise<unknown>;
  /** What there is of it afterwards. */
  outcome: (place: Place, answer: unknown) => Promise<unknown>;
  expected: unknown;
  /** What one of the two is told, or may be told in the end: a reason or a code. */
  refusal?: string;
  mayBeRefused?: string;
}
const refusalOf = (error: unknown) => (error instanceof Problem ? (error.details?.['reason'] ?? error.code) : error);
const meeting = <Place>(of: Meeting<Place>) => of as Meeting<unknown>;

const mail = (subject: string) =>
  parseMail(
    `From: ada@example.com\r\nTo: us@example.com\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@x>\r\n\r\nHello`,
  );

const meetings = [
  ...(['username', 'phone', 'email'] as const).map((matchOn) =>
    meeting({
      does: `upserts a contact by ${matchOn}`,
      before: async () => ({ [matchOn]: freshValues[matchOn]() }),
      work: (tx, value) => upsertContact(tx, { matchOn, platform: 'telegram', name: 'Ada', ...value }),
      outcome: async (value) =>
        (await run((tx) => listAll(tx, Contacts))).filter((contact) => contact[matchOn] === value[matchOn]).length,
      expected: 1,
    }),
  ),
  meeting({
    does: 'enrolls a contact',
    before: async () => {
      const steps = [{ delayMinutes: 60, text: 'Hi' }];
      const input = v.parse(CreateSequence, { name: fresh(), channel: 'telegram', accountId, steps, status: 'active' });
      const [sequence, contact] = await Promise.all([run((tx) => createSequence(tx, input)), newContact()]);
      return { id: sequence.id, contactId: contact.id };
    },
    work: (tx, { id, contactId }) => enroll(tx, id, contactId),
    outcome: async ({ id }) => (await run((tx) => getSequence(tx, id))).activeCount,
    expected: 1,
    refusal: 'already_enrolled',
  }),
  meeting({
    does: 'receives the first message of a stranger',
    before: async () => fresh(),
    work: (tx, username) =>
      receiveMessage(tx, { channel: 'telegram', accountId, from: { username }, body: 'Hello', threadId: null }),
    outcome: async (username) =>
      (await run((tx) => listAll(tx, Contacts))).filter((contact) => contact.username === username).length,
    expected: 1,
  }),
  meeting({
    does: 'receives a mail',
    before: async () => mail(fresh()),
    work: (tx, raw) => receiveMail(tx, raw, trusted),
    outcome: async ({ subject }) => {
      const threads = (await run((tx) => listAll(tx, Threads))).filter((thread) => thread.subject === subject);
      const messages = threads.map(({ id }) => run((tx) => listAll(tx, EmailMessages, { threadId: id })));
      return (await Promise.all(messages)).map(({ length }) => length);
    },
    expected: [1],
  }),
  meeting({
    does: 'creates a tag',
    before: async () => fresh(),
    work: (tx, name) => createTag(tx, { name }),
    outcome: async (name) => (await run(listTags)).filter((tag) => tag.name === name).length,
    expected: 1,
    refusal: 'tag_name_taken',
  }),
  meeting({
    does: 'attaches a new tag',
    before: async () => ({ tagName: fresh(), contactId: (await newContact()).id }),
    work: (tx, { tagName, contactId }) => attachTag(tx, contactId, { tagName }),
    outcome: async ({ tagName }) =>
      (await run(listTags)).filter((tag) => tag.name === tagName).map(({ contactCount }) => contactCount),
    expected: [1],
  }),
  meeting({
    does: 'merges a contact into another while it gets a new tag',
    before: async () => ({ targetId: (await newContact()).id, sourceId: (await newContact()).id, tagName: fresh() }),
    work: (tx, { targetId, sourceId }) => mergeContacts(tx, targetId, { sourceContactId: sourceId }),
    rival: (tx, { sourceId, tagName }) => attachTag(tx, sourceId, { tagName }),
    outcome: async ({ tagName }) => {
      const tag = (await run(listTags)).find(({ name }) => name === tagName);
      const contacts = await run((tx) => listAll(tx, Contacts));
      return tag === undefined || contacts.filter(({ tagIds }) => tagIds.includes(tag.id)).length === tag.contactCount;
    },
    expected: true,
    mayBeRefused: 'not_found',
  }),
  meeting({
    does: 'detaches a tag while the contact gets a new one',
    before: async () => {
      const { id: contactId } = await newContact();
      const [old] = await run((tx) => attachTag(tx, contactId, { tagName: fresh() }));
      return { contactId, oldTagId: (old as { id: number }).id, tagName: fresh() };
    },
    work: (tx, { contactId, oldTagId }) => detachTag(tx, contactId, oldTagId),
    rival: (tx, { contactId, tagName }) => attachTag(tx, contactId, { tagName }),
    outcome: async ({ tagName }, answer) => (answer as { name: string }[]).map(({ name }) => name === tagName),
    expected: [true],
  }),
  meeting({
    does: 'registers an endpoint',
    before: async () => `http://127.0.0.1:9/${fresh()}`,
    work: (tx, url) => createEndpoint(tx, { url }),
    outcome: async (url) =>
      (await run((tx) => listAll(tx, Endpoints))).filter((endpoint) => endpoint.url === url).length,
    expected: 1,
    refusal: 'webhook_url_taken',
  }),
  meeting({
    does: 'pays an invoice',
    before: async () => {
      const bill = {
        contactId: (await newContact()).id,
        total: 9,
        invoiceNumber: fresh(),
        currency: 'EUR',
        issueDate: '2026-01-01',
        dueDate: '2999-01-01',
        status: 'sent',
      };
      return (await run((tx) => createInvoice(tx, v.parse(CreateInvoice, bill)))).id;
    },
    work: (tx, id) => payInvoice(tx, id, undefined),
    outcome: async (id) =>
      (await run((tx) => listAll(tx, Transactions))).filter(({ invoiceId }) => invoiceId === id).length,
    expected: 1,
    refusal: 'invoice_not_payable',
  }),
  meeting({
    does: 'wins a deal',
    before: async () => (await run((tx) => createDeal(tx, v.parse(CreateDeal, { title: fresh(), value: 10 })))).id,
    work: winDeal,
    outcome: async (id) => (await run((tx) => listAll(tx, Transactions))).filter(({ dealId }) => dealId === id).length,
    expected: 1,
  }),
];

test.each(meetings)('whichever of its reads is late: one who $does meets another', async (of) => {
  const reads = await lateReads({
    before: of.before,
    work: (place) => run((tx) => of.work(tx, place)),
    rival: (place) => run((tx) => (of.rival ?? of.work)(tx, place)),
    async after(place, [answer, other]) {
      const refusals = [answer, other].flatMap((one) => (one.status === 'rejected' ? [refusalOf(one.reason)] : []));
      if (refusals.length > 0 || !of.mayBeRefused)
        expect(refusals).toEqual([of.refusal ?? of.mayBeRefused].filter(Boolean));
      expect(await of.outcome(place, answer.status === 'fulfilled' ? answer.value : undefined)).toEqual(of.expected);
    },
  });
  expect(reads).toBeGreaterThan(0);
});
