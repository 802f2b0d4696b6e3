import * as v from 'valibot';
import { matchCompany } from '#lib/contacts/companies.ts';
import { readDomains } from '#lib/contacts/company-domains.ts';
import { companyOfDomain } from '#lib/contacts/company-read.ts';
import { findTag } from '#lib/contacts/tags.ts';
import { matchContact } from '#lib/contacts/upsert.ts';
import { parseFields } from '#lib/core/fields.ts';
import { conflict, invalidField, Problem, unknownReference } from '#lib/core/problem.ts';
import { maxId } from '#lib/core/schema.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { Companies, CreateCompany } from '#lib/entities/company.ts';
import { Contacts, normalize } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { sameName } from '#lib/entities/tag.ts';
import { listPage, listUpTo } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { activeMemberAt } from '#lib/workspaces/members.ts';

/** Returns the id that a text is, or undefined. */
function idIn(text: string): number | undefined {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return id >= 1 && id <= maxId ? id : undefined;
}

/** Returns the member with an e-mail address. Raises 400. */
export async function memberAt(tx: UnitOfWork, email: string): Promise<number> {
  try {
    return (await activeMemberAt(tx, email)).id;
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
    throw invalidField(
      'assignee',
      'unknown_reference',
      'assignee must be the e-mail address of an active member: see GET /v1/members',
    );
  }
}

/** Returns the contact that an id, e-mail address, phone number, or username names. Raises 400, 409 `ambiguous_match`. */
export async function contactNamed(tx: UnitOfWork, text: string): Promise<number> {
  const found = await findContact(tx, text);
  if (found === undefined) throw unknownReference('contact');
  return found;
}

const { name: platform } = telegram;

async function findContact(tx: UnitOfWork, text: string): Promise<number | undefined> {
  const id = idIn(text);
  if (id !== undefined && (await tx.find(Contacts, { id }))) return id;
  if (/^[^@\s]+@/.test(text)) return (await matchContact(tx, 'email', { platform, email: text })).contact?.id;
  if (/^[+\-()./ \d]{5,32}$/.test(text))
    return (await matchContact(tx, 'phone', { platform, phone: text })).contact?.id;
  const { items } = await listPage(tx, Contacts, { where: { username: normalize.username(text) }, limit: 2 });
  if (items.length > 1)
    throw conflict('ambiguous_match', 'several contacts have this username: name one by its id', {
      contactIds: items.map((contact) => contact.id),
    });
  return items[0]?.id;
}

/**
 * Returns the company that a domain or a name says, which may be made where there is none. Raises 400, 409 `ambiguous_match` for several of
 * one name.
 */
export async function companyNamed(tx: UnitOfWork, given: string, field: string, mayCreate: boolean): Promise<number> {
  const { [field]: text = '' } = parseFields(v.object({ [field]: CreateCompany.entries.name }), { [field]: given });
  const isDomain = /^[^\s@:/.]+(?:\.[^\s@:/.]+)+$/.test(text);
  const owner = isDomain ? await companyOfDomain(tx, text) : undefined;
  if (owner) return owner.id;
  const { company, create } = await matchCompany(tx, { matchOn: 'name', name: text });
  if (company) return company.id;
  if (mayCreate)
    return (await create({ name: text, ...(isDomain && isPublic(text) && { domains: [text.toLowerCase()] }) })).id;
  throw invalidField(
    field,
    'unknown_reference',
    `${field} names no company of this workspace: use an existing one, or have createMissing make it`,
  );
}

function isPublic(host: string): boolean {
  try {
    return readDomains([host]).domains.length > 0;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Returns a company by its id. Raises 400. */
export async function requireCompany(tx: UnitOfWork, id: number, field: string): Promise<number> {
  if ((await tx.find(Companies, { id })) === undefined) throw unknownReference(field);
  return id;
}

/** Returns the deal that an id names, or a title among the deals of a contact. Raises 400, 409 `ambiguous_match`. */
export async function dealNamed(tx: UnitOfWork, text: string, contactId: number | undefined): Promise<number> {
  const id = idIn(text);
  if (id !== undefined && (await tx.find(Deals, { id }))) return id;
  if (contactId === undefined)
    throw invalidField('deal', 'unknown_reference', 'deal must be an id, or a title together with a contact');
  const name = sameName(text);
  const items = await listUpTo(tx, Deals, {
    where: { contact: contactId },
    matches: ({ title }) => sameName(title) === name,
    limit: 2,
  });
  if (items.length > 1)
    throw conflict('ambiguous_match', `several deals of the contact have this title: name one by its id`);
  if (items[0] === undefined) throw unknownReference('deal');
  return items[0].id;
}

/** Raises 400 for a tag that is not in the dictionary. */
export async function requireTags(tx: UnitOfWork, names: readonly string[]): Promise<void> {
  for (const name of names) {
    if (await findTag(tx, name)) continue;
    throw invalidField(
      'tags',
      'unknown_reference',
      'tags names a tag that is not there: create it first, or have createMissing make it',
    );
  }
}
