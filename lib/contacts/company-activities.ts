import type * as v from 'valibot';
import {
  Companies,
  CompanyActivities,
  type CompanyActivityQuery,
  type CreateCompanyNote,
} from '#lib/entities/company.ts';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addCompanyActivity } from './activity.ts';
import { getStoredCompany } from './company-read.ts';

type Entry = Item<typeof CompanyActivities>;

/** Returns the history of a company, newest first. Raises 404. */
export async function listCompanyActivities(
  tx: UnitOfWork,
  companyId: number,
  query: v.InferOutput<typeof CompanyActivityQuery>,
): Promise<Page<Entry>> {
  const listing = listingFrom(CompanyActivities, query, {
    type: (types) => ({ matches: ({ type }) => types.includes(type) }),
  });
  const [page] = await Promise.all([
    listPage(tx, CompanyActivities, { ...listing, within: { companyId } }),
    getStoredCompany(tx, companyId),
  ]);
  return page;
}

/** Adds a note to the history; the company's own `notes` stay. Emits company.note_added. Raises 404. */
export async function addCompanyNote(
  tx: UnitOfWork,
  companyId: number,
  { text }: v.InferOutput<typeof CreateCompanyNote>,
): Promise<Entry> {
  const company = await getStoredCompany(tx, companyId);
  tx.requireExists(Companies, company);
  return writeCompanyNote(tx, companyId, text);
}

/** Adds a note to the history of a company that the unit of work holds, as of now or of an earlier time. Emits company.note_added. */
export async function writeCompanyNote(
  tx: UnitOfWork,
  companyId: number,
  text: string,
  createdAt = tx.now,
): Promise<Entry> {
  const note = await addCompanyActivity(tx, companyId, 'Note', { text, createdAt });
  tx.emit({
    kind: 'company.note_added',
    subject: `company/${companyId}`,
    data: { company_id: String(companyId), activity_id: String(note.id), text, actor: tx.eventActor },
  });
  return note;
}
