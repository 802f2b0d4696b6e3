import { phoneDigits } from '#lib/core/phone.ts';
import { Contacts, normalize, type StoredContact } from '#lib/entities/contact.ts';
import { type AddressKind, phoneEnd, valuesOf } from '#lib/entities/contact-address.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import type { ArchivedFilter } from '#lib/table/entity.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const countryOf = async (tx: UnitOfWork): Promise<string | null> =>
  (await tx.find(Workspaces, { id: tx.tenant.workspaceId }))?.country ?? null;

type Normal = (kind: AddressKind, value: string) => string;

/**
 * Returns what brings addresses into their normal form: e-mail in lower case with its domain in ASCII, phone in E.164 by itself or
 * the country of the workspace, else its digits. The rules of all countries are loaded only here: they are 118 KB.
 */
export async function normalForm(tx: UnitOfWork): Promise<Normal> {
  const [{ e164 }, country] = await Promise.all([import('./e164.ts'), countryOf(tx)]);
  return (kind, value) => (kind === 'email' ? normalize.email(value) : (e164(value, country) ?? phoneDigits(value)));
}

/** Returns what tells whether two of the addresses are the same: their normal form, without the `+` that some write and others do not. */
export async function comparison(tx: UnitOfWork, addresses: readonly { kind: AddressKind }[]): Promise<Normal> {
  if (!addresses.some(({ kind }) => kind === 'phone')) return (_, value) => normalize.email(value);
  const normal = await normalForm(tx);
  return (kind, value) => normal(kind, value).replace(kind === 'phone' ? '+' : '', '');
}

/** How contacts are found that have an address. */
export interface Lookup {
  where: { email: string } | { phone: string };
  /** Whether a contact of the index has it: that knows the ends of phone numbers. */
  matches(contact: StoredContact): boolean;
  /** The address as it is compared, with its kind. */
  key: string;
}

/** Returns how contacts are found that have an address, however it is spelled. */
export async function lookupOf(tx: UnitOfWork, kind: AddressKind, value: string): Promise<Lookup> {
  const [lookup] = await lookupsOf(tx, [{ kind, value }]);
  return lookup as Lookup;
}

/** The same for several addresses, with one read for all of them. */
export async function lookupsOf(
  tx: UnitOfWork,
  addresses: readonly { kind: AddressKind; value: string }[],
): Promise<Lookup[]> {
  const compared = await comparison(tx, addresses);
  return addresses.map(({ kind, value }) => {
    const sought = compared(kind, value);
    const key = `${kind}=${sought}`;
    if (kind === 'email') {
      const isSame = (one: string) => compared(kind, one) === sought;
      return { where: { email: sought }, matches: (contact) => valuesOf(contact, kind).some(isSame), key };
    }
    const [digits, end] = [phoneDigits(value), phoneEnd(value)];
    // To read a number by the rules of all countries takes ten times as long as to compare its end.
    const isSame = (one: string) =>
      phoneEnd(one) === end && (phoneDigits(one) === digits || compared(kind, one) === sought);
    return { where: { phone: end }, matches: (contact) => valuesOf(contact, kind).some(isSame), key };
  });
}

/** Returns the contact that has an address; of several the one that was there first. */
export async function contactWith(
  tx: UnitOfWork,
  kind: AddressKind,
  value: string,
  isWanted: (contact: StoredContact) => boolean = () => true,
  archived: ArchivedFilter = 'false',
): Promise<StoredContact | undefined> {
  const { where, matches } = await lookupOf(tx, kind, value);
  return firstIndexed(tx, Contacts, where, (contact) => matches(contact) && isWanted(contact), archived);
}

/** Returns the contact whose mail comes from an address; of several the one that was there first, else an archived one. */
export const contactWithEmail = async (tx: UnitOfWork, email: string): Promise<StoredContact | undefined> =>
  (await contactWith(tx, 'email', email)) ?? contactWith(tx, 'email', email, undefined, 'true');
