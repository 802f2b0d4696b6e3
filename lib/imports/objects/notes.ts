import * as v from 'valibot';
import { writeCompanyNote } from '#lib/contacts/company-activities.ts';
import { getStoredCompany } from '#lib/contacts/company-read.ts';
import { getStoredContact } from '#lib/contacts/read.ts';
import { writeNote } from '#lib/contacts/timeline.ts';
import { parseFields } from '#lib/core/fields.ts';
import { invalidField, unknownReference } from '#lib/core/problem.ts';
import { timeInput } from '#lib/core/schema.ts';
import { patchDeal } from '#lib/deals/store.ts';
import { Activities, CreateNote } from '#lib/entities/activity.ts';
import { Companies, CompanyActivities } from '#lib/entities/company.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { changesBetween, type ImportedObject, type Outcome, type RowInput } from './object.ts';
import { companyNamed, contactNamed, dealNamed, requireCompany } from './relations.ts';

const Written = v.object({ ...CreateNote.entries, createdAt: v.optional(timeInput()) });
type Written = v.InferOutput<typeof Written>;

/** Notes from rows: in the history of a contact or company, or in the notes of a deal, which has no history. */
export const notes: ImportedObject = {
  targets: {
    text: 'text',
    createdAt: 'time',
    contact: 'text',
    contactId: 'integer',
    company: 'text',
    companyId: 'integer',
    deal: 'text',
    dealId: 'integer',
  },
  joined: { text: '\n' },
  matchKeys: [],
  matchesMetadata: false,

  async take(tx, row, { makesCompanies }) {
    const written = parseFields(Written, row);
    if (written.createdAt !== undefined && written.createdAt > tx.now)
      throw invalidField('createdAt', 'out_of_range', 'createdAt must not be in the future');
    const contactId = await contactOf(tx, row);
    const { deal, dealId } = row;
    if (typeof deal === 'string') return addToDeal(tx, await dealNamed(tx, deal.trim(), contactId), written);
    if (dealId !== undefined) return addToDeal(tx, Number(dealId), written);
    if (contactId !== undefined) return addToContact(tx, contactId, written);
    return addToCompany(tx, await companyOf(tx, row, makesCompanies), written);
  },

  async remove(tx, { recordId, of, noteId }) {
    if (of === 'contact') {
      const note = await tx.find(Activities, { contactId: recordId, id: Number(noteId) });
      if (note) tx.delete(Activities, note);
      return note !== undefined;
    }
    const note = await tx.find(CompanyActivities, { companyId: recordId, id: Number(noteId) });
    if (note) tx.delete(CompanyActivities, note);
    return note !== undefined;
  },

  async read(tx, id) {
    const deal = await tx.find(Deals, { id });
    return deal === undefined || deal.archive
      ? undefined
      : { values: { notes: deal.notes }, updatedAt: deal.updatedAt };
  },

  async giveBack(tx, id, old) {
    await patchDeal(tx, id, { notes: old['notes'] as string | null });
  },
};

async function contactOf(tx: UnitOfWork, { contact, contactId }: RowInput): Promise<number | undefined> {
  if (typeof contact === 'string') return contactNamed(tx, contact.trim());
  if (contactId === undefined) return undefined;
  if ((await tx.find(Contacts, { id: Number(contactId) })) === undefined) throw unknownReference('contactId');
  return Number(contactId);
}

async function companyOf(tx: UnitOfWork, { company, companyId }: RowInput, mayCreate: boolean): Promise<number> {
  if (companyId !== undefined) return requireCompany(tx, Number(companyId), 'companyId');
  if (typeof company === 'string') return companyNamed(tx, company.trim(), 'company', mayCreate);
  throw invalidField('contact', 'required', 'one of contact, deal, company is required');
}

async function addToContact(tx: UnitOfWork, id: number, { text, createdAt }: Written): Promise<Outcome> {
  tx.requireExists(Contacts, await getStoredContact(tx, id));
  const note = await writeNote(tx, id, text, createdAt);
  return { outcome: 'created', recordId: id, of: 'contact', noteId: note.id };
}

async function addToCompany(tx: UnitOfWork, id: number, { text, createdAt }: Written): Promise<Outcome> {
  tx.requireExists(Companies, await getStoredCompany(tx, id));
  const note = await writeCompanyNote(tx, id, text, createdAt);
  return { outcome: 'created', recordId: id, of: 'company', noteId: note.id };
}

/** Adds a note to those of a deal, under its day where that is given. */
async function addToDeal(tx: UnitOfWork, id: number, { text, createdAt }: Written): Promise<Outcome> {
  const deal = await tx.find(Deals, { id });
  if (deal === undefined) throw unknownReference('dealId');
  const note = createdAt === undefined ? text : `${createdAt.slice(0, 10)}: ${text}`;
  const next = deal.notes === null ? note : `${deal.notes}\n\n${note}`;
  const limit = 10_000;
  if ([...next].length > limit)
    throw invalidField('notes', 'too_long', `notes of the deal must have at most ${limit} characters`);
  const { notes: after } = await patchDeal(tx, id, { notes: next });
  return {
    outcome: 'created',
    recordId: id,
    of: 'deal',
    changes: changesBetween({ notes: deal.notes }, { notes: after }),
  };
}
