import { createHash } from 'node:crypto';
import type * as v from 'valibot';
import { storedKey, withMetadata } from '#lib/core/metadata.ts';
import { conflict, invalidField, Problem } from '#lib/core/problem.ts';
import { Activities } from '#lib/entities/activity.ts';
import {
  type ContactAddition,
  type ContactChange,
  Contacts,
  type MatchKey,
  MergedContacts,
  normalize,
  type StoredContact,
  type UpsertContact,
  Upserts,
} from '#lib/entities/contact.ts';
import type { AddressKind } from '#lib/entities/contact-address.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { sameHandle } from '#lib/entities/references/namesakes.ts';
import { WriteConflict } from '#lib/table/change.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import { type Listing, listUpTo } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { holderOfValue } from '#lib/workspaces/value-changes.ts';
import { changeContact } from './change.ts';
import { createContact } from './create.ts';
import { lookupOf } from './lookup.ts';
import type { ShownContact } from './read.ts';
import { getStoredContact } from './read.ts';
import { contactValues } from './write.ts';

/** Two are too many, whoever else there is. */
const maxMatches = 2;
/** Limit for the matching contacts that an error names. */
const maxNamed = 100;

/** The contact that a creation or a change is about. */
interface Match {
  /** Undefined where it is a new one. */
  contact: StoredContact | undefined;
  /** Values that the change sets. */
  change: ContactChange & ContactAddition;
  /** Creates the contact, which nobody else creates at the same time. */
  create(): Promise<ShownContact>;
}

/**
 * Returns the contact that has the same username (on its platform), phone, e-mail, metadata value, or value of a unique field. Raises 400
 * without the field to match, 409 `ambiguous_match` when several contacts match.
 */
export async function matchContact(tx: UnitOfWork, matchOn: MatchKey, fields: Fields): Promise<Match> {
  if (matchOn.startsWith('fields.')) return matchByValue(tx, matchOn.slice('fields.'.length), fields);
  const sought = await soughtBy(tx, matchOn, fields);
  const list = (limit: number) => listMatches(tx, sought, limit);
  const [before, listed, merged] = await Promise.all([
    tx.find(Upserts, { match: sought.match }),
    list(maxMatches),
    matchOn === 'username' && firstIndexed(tx, MergedContacts, sameHandle(fields.platform, String(fields.username))),
    tx.reserveIds({ [Contacts.name]: 1, [Activities.name]: Object.keys(fields).length }),
  ]);
  const candidates = new Map([...listed, ...tx.written(Contacts)].map((contact) => [contact.id, contact]));
  // The list may have been read before the row that guards it: then it lacks whom that row names.
  if (before?.contactId && !candidates.has(before.contactId)) {
    for (const contact of await list(maxMatches)) candidates.set(contact.id, contact);
  }
  const found = [...candidates.values()].filter(sought.isMatch);
  if (found.length > 1) {
    const isOther = new Set(tx.written(Contacts).flatMap((contact) => (sought.isMatch(contact) ? [] : [contact.id])));
    const all = await listIds(tx, sought, maxNamed);
    const ids = new Set([...found.map(({ id }) => id), ...all]);
    const contactIds = [...ids].filter((id) => !isOther.has(id)).sort((a, b) => b - a);
    const count = all.length < maxNamed ? contactIds.length : `at least ${contactIds.length}`;
    throw conflict('ambiguous_match', `${count} contacts have this ${matchOn}: merge them, or change one by its id`, {
      contactIds,
    });
  }
  const heir = found[0] === undefined && merged ? await resolveMerged(tx, merged.into) : undefined;
  const contact = found[0] ?? (heir?.archive ? undefined : heir);
  // A contact that a merge gave another username keeps it.
  const { platform: _, ...change } = found.length === 0 ? { ...fields, username: undefined } : fields;
  // A further address that matched stays one.
  if (contact && sought.address && !sought.address.isPrimary(contact)) delete change[sought.address.kind];
  return {
    contact,
    change,
    async create() {
      const created = await createContact(tx, fields);
      const after = { match: sought.match, contactId: created.id };
      if (before) tx.update(Upserts, after);
      else tx.create(Upserts, after);
      return created;
    },
  };
}

/**
 * Creates the contact, or changes the one that matches. Emits contact.created or contact.updated. Raises 400 without the field to match,
 * 409 when several contacts match.
 */
export async function upsertContact(
  tx: UnitOfWork,
  { matchOn, ...fields }: v.InferOutput<typeof UpsertContact>,
): Promise<{ contact: ShownContact; isNew: boolean }> {
  const { contact, change, create } = await matchContact(tx, matchOn, fields);
  if (contact) return { contact: await changeContact(tx, contact.id, change), isNew: false };
  return { contact: await create(), isNew: true };
}

/** A unique value has one holder, and two that make one meet at its entry. */
async function matchByValue(tx: UnitOfWork, slug: string, fields: Fields): Promise<Match> {
  const holder = () => holderOfValue(tx, contactValues, slug, fields.fields?.[slug]);
  const id = await holder();
  const { platform: _, ...change } = fields;
  return {
    contact: id === undefined ? undefined : await getStoredContact(tx, id),
    change,
    create: () => unlessMatched(createContact(tx, fields), holder),
  };
}

/**
 * Resolves with the record that an upsert creates because it has found none. Throws WriteConflict when that is refused for a value that
 * the sought record has got meanwhile: the next attempt finds it.
 */
export async function unlessMatched<Made>(made: Promise<Made>, find: () => Promise<unknown>): Promise<Made> {
  try {
    return await made;
  } catch (error) {
    const isTaken = error instanceof Problem && takenReasons.includes(String(error.details?.['reason']));
    if (isTaken && (await find()) !== undefined)
      throw new WriteConflict('the match was made meanwhile', { cause: error });
    throw error;
  }
}

const takenReasons = ['field_value_taken', 'domain_taken'];

interface Sought {
  by: Pick<Listing<typeof Contacts>, 'where' | 'contains'>;
  /** Key on which two upserts of the same person conflict. */
  match: string;
  isMatch(contact: StoredContact): boolean;
  /** Kind of the address that is looked for, and whether a contact has it as its primary one. */
  address?: { kind: AddressKind; isPrimary(contact: StoredContact): boolean };
}

type Fields = Omit<v.InferOutput<typeof UpsertContact>, 'matchOn'>;

async function soughtBy(tx: UnitOfWork, matchOn: MatchKey, fields: Fields): Promise<Sought> {
  if (matchOn === 'email' || matchOn === 'phone') {
    const value = requireValue(matchOn, fields[matchOn]);
    const { where, matches, key } = await lookupOf(tx, matchOn, value);
    const isPrimary = (contact: StoredContact) => matches({ ...contact, addressList: undefined });
    return { by: { where }, match: key, isMatch: matches, address: { kind: matchOn, isPrimary } };
  }
  if (matchOn !== 'username') return soughtByMetadata(matchOn, fields);
  const { platform } = fields;
  const sought = normalize.username(requireValue(matchOn, fields.username));
  return {
    by: { where: sameHandle(platform, sought) },
    match: `${platform}/username=${sought}`,
    isMatch: (contact) =>
      contact.platform === platform && contact.username !== null && normalize.username(contact.username) === sought,
  };
}

function soughtByMetadata(matchOn: string, { metadata = {} }: Fields): Sought {
  const key = storedKey(matchOn.slice('metadata.'.length));
  const value = requireValue(matchOn, metadata[key]);
  const pair = withMetadata({ [key]: value });
  return {
    by: { contains: { metadata: pair } },
    // A value may be longer than a key of the table.
    match: `metadata=${createHash('sha256').update(pair.join('')).digest('base64url')}`,
    isMatch: (contact) => contact.metadata[key] === value,
  };
}

function requireValue(matchOn: string, value: string | null | undefined): string {
  if (value) return value;
  throw invalidField(matchOn, 'required', `${matchOn} is required because it is matched on`);
}

const listMatches = (tx: UnitOfWork, { by, isMatch }: Sought, limit: number): Promise<StoredContact[]> =>
  listUpTo(tx, Contacts, { ...by, limit }, isMatch);

const listIds = async (tx: UnitOfWork, sought: Sought, limit: number): Promise<number[]> =>
  (await listMatches(tx, sought, limit)).map(({ id }) => id);
