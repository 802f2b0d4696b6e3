import { addAddress, deleteAddress } from '#lib/contacts/addresses.ts';
import { archiveContact } from '#lib/contacts/archive.ts';
import { changeContact } from '#lib/contacts/change.ts';
import { putContactCompanies } from '#lib/contacts/company-links.ts';
import { createContact } from '#lib/contacts/create.ts';
import { comparison } from '#lib/contacts/lookup.ts';
import { putContactMetadata } from '#lib/contacts/metadata.ts';
import { detachTag } from '#lib/contacts/tagging.ts';
import { findTag } from '#lib/contacts/tags.ts';
import { matchContact } from '#lib/contacts/upsert.ts';
import { parseFields } from '#lib/core/fields.ts';
import { Companies } from '#lib/entities/company.ts';
import {
  type ContactChange,
  Contacts,
  CreateContact,
  type MatchKey,
  type StoredContact,
} from '#lib/entities/contact.ts';
import { addressesOf, valuesOf } from '#lib/entities/contact-address.ts';
import { Tags } from '#lib/entities/tag.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { shownValues } from '#lib/workspaces/fields.ts';
import {
  type ImportedObject,
  named,
  only,
  type RowInput,
  type Rules,
  type Values,
  within,
  withoutNull,
} from './object.ts';
import { takeRecord } from './record.ts';
import { companyNamed, memberAt, requireCompany, requireTags } from './relations.ts';

const plain = ['name', 'username', 'phone', 'email', 'notes', 'stage', 'leadScore', 'assignedToUserId'] as const;

/** Values that a row sets by further calls than the one that creates or changes the contact. */
interface Further {
  addresses: readonly string[];
  /** Companies by their ids, the primary one first. */
  companyIds: readonly number[];
}

const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).flatMap((one: unknown) => {
    const text = typeof one === 'object' && one !== null ? ((one as Values)['value'] ?? (one as Values)['name']) : one;
    return typeof text === 'string' || typeof text === 'number' ? [String(text)] : [];
  });

/** Contacts from rows. */
export const contacts: ImportedObject = {
  targets: {
    id: 'integer',
    platform: 'text',
    name: 'text',
    username: 'text',
    phone: 'text',
    email: 'text',
    addresses: 'texts',
    company: 'text',
    companies: 'texts',
    companyId: 'integers',
    notes: 'text',
    stage: 'text',
    tags: 'texts',
    leadScore: 'integer',
    assignee: 'text',
    assignedToUserId: 'integer',
    metadata: 'json',
  },
  joined: { name: ' ', notes: '\n' },
  matchKeys: ['id', 'email', 'phone', 'username'],
  matchesMetadata: true,

  async take(tx, { addresses, company, companies, companyId, assignee, tags, ...rest }, rules) {
    const names = textsIn(tags);
    if (!rules.makesTags) await requireTags(tx, names);
    const input = {
      ...rest,
      ...(tags !== undefined && { tags: names }),
      ...(typeof assignee === 'string' && { assignedToUserId: await memberAt(tx, assignee) }),
    };
    const further: Further = { addresses: textsIn(addresses), companyIds: [] };
    const linked = { company, companies, companyId };
    return takeRecord(
      tx,
      {
        noun: 'contact',
        of: Contacts,
        async match(_, matchOn, row) {
          const fields = parseFields(CreateContact, row);
          const { contact, change, create } = await matchContact(tx, matchOn as MatchKey, fields);
          return { id: contact?.id, change: change as RowInput, make: create };
        },
        async create(_, row, make = () => createContact(tx, parseFields(CreateContact, row))) {
          const { id } = await make();
          await addFurther(tx, id, { ...further, companyIds: await companiesOf(tx, linked, rules) });
          return id;
        },
        async change(_, id, row) {
          const { platform: __, ...change } = parseFields(CreateContact, await withoutOwnTags(tx, id, row));
          await changeContact(tx, id, change);
          const contact = await tx.find(Contacts, { id });
          const companyIds = contact && isShown(contact, linked) ? [] : await companiesOf(tx, linked, rules);
          await addFurther(tx, id, { ...further, companyIds });
        },
        read,
      },
      input,
      rules,
    );
  },

  async remove(tx, { recordId }) {
    const contact = await tx.find(Contacts, { id: recordId });
    if (contact === undefined || contact.archive) return false;
    await archiveContact(tx, recordId);
    return true;
  },

  read,
  giveBack,
};

/** Whether a row names but the company whose name the contact shows already. */
const isShown = (contact: StoredContact, { company, companies, companyId }: Values): boolean =>
  companies === undefined && companyId === undefined && contact.company === company;

async function withoutOwnTags(tx: UnitOfWork, id: number, { tags, ...row }: RowInput): Promise<RowInput> {
  if (!Array.isArray(tags)) return row;
  const contact = await tx.find(Contacts, { id });
  const fresh: unknown[] = [];
  for (const name of tags) {
    const tag = await findTag(tx, String(name));
    if (tag === undefined || !contact?.tagIds.includes(tag.id)) fresh.push(name);
  }
  return { ...row, tags: fresh };
}

/** Returns the companies that a row names, each once, that of `company` first. */
async function companiesOf(
  tx: UnitOfWork,
  { company, companies, companyId }: Values,
  { makesCompanies }: Rules,
): Promise<number[]> {
  const ids: number[] = [];
  if (typeof company === 'string') ids.push(await companyNamed(tx, company.trim(), 'company', makesCompanies));
  const given = Array.isArray(companyId) ? companyId : companyId === undefined ? [] : [companyId];
  for (const id of given) ids.push(await requireCompany(tx, Number(id), 'companyId'));
  // The ids say which companies are meant where several have one name.
  for (const name of given.length > 0 ? [] : textsIn(companies))
    ids.push(await companyNamed(tx, name, 'companies', makesCompanies));
  return [...new Set(ids)];
}

async function addFurther(tx: UnitOfWork, id: number, { addresses, companyIds }: Further): Promise<void> {
  const given = addresses.map((value) => ({ kind: value.includes('@') ? 'email' : 'phone', value }) as const);
  const normal = await comparison(tx, given);
  for (const { kind, value } of given) {
    const contact = (await tx.find(Contacts, { id })) as StoredContact;
    const known = valuesOf(contact, kind).some((one) => normal(kind, one) === normal(kind, value));
    if (!known) await addAddress(tx, id, { kind, value, isPrimary: contact[kind] === null, force: false });
  }
  if (companyIds.length === 0) return;
  const { companyLinks = [] } = (await tx.find(Contacts, { id })) as StoredContact;
  const [primary, ...others] = companyIds;
  const known = new Map(companyLinks.map((link) => [link.companyId, link]));
  const order = [...new Set([Number(primary), ...companyLinks.map(({ companyId }) => companyId), ...others])];
  const items = order.map((companyId) => ({
    companyId,
    title: known.get(companyId)?.title ?? null,
    isPrimary: companyId === primary,
  }));
  await putContactCompanies(tx, id, { items });
}

async function read(tx: UnitOfWork, id: number) {
  const contact = await tx.find(Contacts, { id });
  if (contact === undefined || contact.archive) return undefined;
  const values: Values = {
    ...only(plain, contact),
    company: contact.company,
    companies: contact.companyLinks ?? [],
    tags: contact.tagIds,
    addresses: addressesOf(contact)
      .filter(({ kind, value }) => contact[kind] !== value)
      .map(({ id: addressId }) => addressId),
    ...named('metadata', contact.metadata),
    ...named('fields', await shownValues(tx, 'contact', contact)),
  };
  return { values, updatedAt: contact.updatedAt };
}

async function giveBack(tx: UnitOfWork, id: number, old: Values): Promise<void> {
  const contact = (await tx.find(Contacts, { id })) as StoredContact;
  for (const tagId of added(contact.tagIds, old['tags']))
    if (await tx.find(Tags, { id: tagId })) await detachTag(tx, id, tagId);
  if (old['addresses'] !== undefined) {
    const further = (await read(tx, id))?.values['addresses'] as number[];
    for (const addressId of added(further, old['addresses'])) await deleteAddress(tx, id, addressId);
  }
  if (old['companies'] !== undefined) await giveCompaniesBack(tx, id, old['companies'] as typeof contact.companyLinks);
  const hasLink = ((await tx.find(Contacts, { id }))?.companyLinks ?? []).some(({ isPrimary }) => isPrimary);
  const metadata = within('metadata', old);
  const change = {
    ...only(plain, old),
    ...(!hasLink && only(['company'], old)),
    fields: within('fields', old),
  };
  await changeContact(tx, id, change as ContactChange);
  if (Object.keys(metadata).length === 0) return;
  const { metadata: present } = (await tx.find(Contacts, { id })) as StoredContact;
  await putContactMetadata(tx, id, withoutNull({ ...present, ...metadata }));
}

async function giveCompaniesBack(tx: UnitOfWork, id: number, links: StoredContact['companyLinks'] = []): Promise<void> {
  const items = [];
  for (const link of links) if (await tx.find(Companies, { id: link.companyId })) items.push(link);
  await putContactCompanies(tx, id, { items });
}

/** Returns what is there now and was not before; nothing where that is not known. */
const added = (present: readonly number[], before: unknown): number[] =>
  Array.isArray(before) ? present.filter((one) => !before.includes(one)) : [];
