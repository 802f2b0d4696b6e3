import { unknownReference } from '#lib/core/problem.ts';
import { Companies } from '#lib/entities/company.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { Deals, type StoredDeal } from '#lib/entities/deal.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The contact that a body names, unchanged until the unit of work commits; null without one. Raises 400. */
export async function referredContact(tx: UnitOfWork, id: number | null | undefined): Promise<StoredContact | null> {
  if (id === null || id === undefined) return null;
  const contact = await tx.find(Contacts, { id });
  if (contact === undefined) throw unknownReference('contactId');
  tx.requireUnchanged(Contacts, contact);
  return contact;
}

/** Returns the id of the company that a body names, which is there until the unit of work commits; null without one. Raises 400. */
export async function referredCompany(tx: UnitOfWork, id: number | null | undefined): Promise<number | null> {
  if (id === null || id === undefined) return null;
  if ((await tx.find(Companies, { id })) === undefined) throw unknownReference('companyId');
  return id;
}

/** The deal that a body names; null without one. Deals are never deleted. Raises 400. */
export async function referredDeal(tx: UnitOfWork, id: number | null | undefined): Promise<StoredDeal | null> {
  if (id === null || id === undefined) return null;
  const deal = await tx.find(Deals, { id });
  if (deal === undefined) throw unknownReference('dealId');
  return deal;
}
