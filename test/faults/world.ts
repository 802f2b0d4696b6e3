import * as v from 'valibot';
import { addAddress, deleteAddress } from '#lib/contacts/addresses.ts';
import { archiveContact, restoreContact } from '#lib/contacts/archive.ts';
import { changeContact } from '#lib/contacts/change.ts';
import { createCompany } from '#lib/contacts/companies.ts';
import { archiveCompany, restoreCompany } from '#lib/contacts/company-archive.ts';
import { putContactCompanies } from '#lib/contacts/company-links.ts';
import { createContact } from '#lib/contacts/create.ts';
import { deleteTag } from '#lib/contacts/delete-tag.ts';
import { mergeContacts } from '#lib/contacts/merge.ts';
import { attachTag, detachTag } from '#lib/contacts/tagging.ts';
import { upsertContact } from '#lib/contacts/upsert.ts';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { archiveDeal, createDeal, moveDeal, patchDeal, restoreDeal, winDeal } from '#lib/deals/store.ts';
import { archiveTask, createTask, patchTask, restoreTask, setTaskStatus } from '#lib/deals/task-store.ts';
import { CreateDeal } from '#lib/entities/deal.ts';
import { CreateInvoice } from '#lib/entities/invoice.ts';
import { CreateSequence } from '#lib/entities/sequence.ts';
import { CreateTask } from '#lib/entities/task.ts';
import { createInvoice, payInvoice } from '#lib/finance/invoice-store.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { pauseSequence } from '#lib/sequences/pause.ts';
import { createSequence } from '#lib/sequences/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { sendMessage } from '#lib/transport/sending/message.ts';

/** Two contacts: the first has a tag, a company, a deal with a task, and an invoice; the second is in a sequence. */
interface World {
  word: string;
  accountId: number;
  first: number;
  second: number;
  tagId: number;
  dealId: number;
  taskId: number;
  invoiceId: number;
  sequenceId: number;
  /** The company of the first contact. */
  companyId: number;
  /** A further address of the first contact. */
  addressId: number;
  /** Records that are archived: the deal is of the first contact, and the task of its deal. */
  archived: { contactId: number; companyId: number; dealId: number; taskId: number };
}

let worlds = 0;

export async function newWorld(
  run: <Result>(work: (tx: UnitOfWork) => Promise<Result>) => Promise<Result>,
  accountId: number,
) {
  worlds += 1;
  const word = `world${worlds}`;
  const place = await run(async (tx) => {
    const { id: first } = await createContact(tx, { platform: 'telegram', name: 'Ann', username: `${word}_ann` });
    const { id: second } = await createContact(tx, { platform: 'telegram', name: 'Bob', username: `${word}_bob` });
    const [tag] = await attachTag(tx, first, { tagName: word });
    const deal = await createDeal(tx, v.parse(CreateDeal, { title: word, value: 10, contactId: first }));
    const dates = { issueDate: '2026-01-01', dueDate: '2999-01-01' };
    const bill = { ...dates, contactId: first, invoiceNumber: word, currency: 'EUR', total: 9, status: 'sent' };
    const invoice = await createInvoice(tx, v.parse(CreateInvoice, bill));
    const steps = [{ delayMinutes: 60, text: 'Hi' }];
    const sequenceInput = { name: word, channel: 'telegram', accountId, steps, status: 'active' };
    const sequence = await createSequence(tx, v.parse(CreateSequence, sequenceInput));
    const tagId = (tag as { id: number }).id;
    const { id: companyId } = await createCompany(tx, { name: word, domains: [] });
    await putContactCompanies(tx, first, { items: [{ companyId, title: null, isPrimary: true }] });
    return { companyId, first, second, tagId, dealId: deal.id, invoiceId: invoice.id, sequenceId: sequence.id };
  });
  const { first, second, dealId, sequenceId } = place;
  const task = v.parse(CreateTask, { title: word, dealId, contactId: first });
  const { id: taskId } = await run((tx) => createTask(tx, task));
  await run((tx) => enroll(tx, sequenceId, second));
  const address = { kind: 'email', value: `${word}@home.example`, force: false } as const;
  const { id: addressId } = await run((tx) => addAddress(tx, first, address));
  const archived = await run(async (tx) => {
    const contact = await createContact(tx, { platform: 'telegram', name: 'Cy', tags: [word] });
    const company = await createCompany(tx, { name: `Old ${word}`, domains: [] });
    const deal = await createDeal(tx, v.parse(CreateDeal, { title: word, value: 3, contactId: first }));
    const old = await createTask(tx, v.parse(CreateTask, { title: word, dealId }));
    return { contactId: contact.id, companyId: company.id, dealId: deal.id, taskId: old.id };
  });
  await run((tx) => archiveContact(tx, archived.contactId));
  await run((tx) => archiveCompany(tx, archived.companyId));
  await run((tx) => archiveDeal(tx, archived.dealId));
  await run((tx) => archiveTask(tx, archived.taskId));
  return { ...place, word, accountId, taskId, addressId, archived };
}

export type Work = (tx: UnitOfWork, world: World) => Promise<unknown>;

export const works: Record<string, Work> = {
  'renames a contact': (tx, { first }) => changeContact(tx, first, { name: 'Eve', stage: 'customer' }),
  'upserts a contact': (tx, { word }) =>
    upsertContact(tx, { matchOn: 'username', platform: 'telegram', username: `${word}_ann`, name: 'Zoe' }),
  'merges a contact into another': (tx, { first, second }) => mergeContacts(tx, second, { sourceContactId: first }),
  'merges them the other way': (tx, { first, second }) => mergeContacts(tx, first, { sourceContactId: second }),
  'attaches a tag': (tx, { second, tagId }) => attachTag(tx, second, { tagId }),
  'detaches a tag': (tx, { first, tagId }) => detachTag(tx, first, tagId),
  'deletes a tag': (tx, { tagId }) => deleteTag(tx, tagId),
  'opens a deal': (tx, { first }) => createDeal(tx, v.parse(CreateDeal, { title: 'New', value: 5, contactId: first })),
  'wins a deal': (tx, { dealId }) => winDeal(tx, dealId),
  'loses a deal': (tx, { dealId }) => moveDeal(tx, dealId, { stage: 'lost' }),
  'changes a deal': (tx, { dealId, second }) => patchDeal(tx, dealId, { contactId: second, value: 7 }),
  'adds a task': (tx, { dealId }) => createTask(tx, v.parse(CreateTask, { title: 'New', dealId })),
  'does a task': (tx, { taskId }) => setTaskStatus(tx, taskId, 'done'),
  'changes a task': (tx, { taskId, second }) => patchTask(tx, taskId, { dealId: null, contactId: second }),
  'enrolls a contact': (tx, { sequenceId, first }) => enroll(tx, sequenceId, first),
  'pauses a sequence': (tx, { sequenceId }) => pauseSequence(tx, sequenceId),
  'hears from a contact': (tx, { accountId, word }) => {
    const message = { from: { username: `${word}_bob` }, body: 'Hello', threadId: null };
    return receiveMessage(tx, { channel: 'telegram', accountId, ...message });
  },
  'writes to a contact': (tx, { accountId, first }) => {
    const message = { accountId, contactId: first, text: 'Hi', runAt: shifted(new Date(), dayMs) };
    return sendMessage(tx, 'telegram', message, { source: 'panel', apiKeyId: null });
  },
  'archives a contact': (tx, { first }) => archiveContact(tx, first),
  'restores a contact': (tx, { archived }) => restoreContact(tx, archived.contactId),
  'archives a company': (tx, { companyId }) => archiveCompany(tx, companyId),
  'restores a company': (tx, { archived }) => restoreCompany(tx, archived.companyId),
  'archives a deal': (tx, { dealId }) => archiveDeal(tx, dealId),
  'restores a deal': (tx, { archived }) => restoreDeal(tx, archived.dealId),
  'archives a task': (tx, { taskId }) => archiveTask(tx, taskId),
  'restores a task': (tx, { archived }) => restoreTask(tx, archived.taskId),
  'adds an address': (tx, { first, word }) =>
    addAddress(tx, first, { kind: 'email', value: `${word}@work.example`, force: false }),
  'deletes an address': (tx, { first, addressId }) => deleteAddress(tx, first, addressId),
  'links a company': (tx, { second, companyId }) =>
    putContactCompanies(tx, second, { items: [{ companyId, title: null, isPrimary: true }] }),
  'pays an invoice': (tx, { invoiceId }) => payInvoice(tx, invoiceId, undefined),
};
