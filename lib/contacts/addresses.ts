import * as v from 'valibot';
import { fieldErrors } from '#lib/core/fields.ts';
import { conflict, invalidField, invalidFields, notFound } from '#lib/core/problem.ts';
import { Activities } from '#lib/entities/activity.ts';
import { emailInput, phoneInput, type StoredContact, Upserts } from '#lib/entities/contact.ts';
import {
  type AddressKind,
  addressesOf,
  type CreateContactAddress,
  lastAddressIdOf,
  maxAddresses,
  type PatchContactAddress,
  type StoredAddress,
  valuesOf,
  withAddresses,
} from '#lib/entities/contact-address.ts';
import { changesOf } from '#lib/events/changes.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addActivity } from './activity.ts';
import { linkByMail } from './company-links.ts';
import { requireIdentity } from './create.ts';
import { type ShownAddress, shownAddresses } from './include.ts';
import { comparison, contactWith, lookupOf } from './lookup.ts';
import { getStoredContact } from './read.ts';
import { updateContact } from './write.ts';

const isPrimary = (contact: StoredContact, { kind, value }: StoredAddress) => contact[kind] === value;

const inputs = { email: emailInput, phone: phoneInput };

/** Returns a value as addresses of its kind are written. Raises 400. */
function readValue(kind: AddressKind, value: string): string {
  const parsed = v.safeParse(v.object({ value: inputs[kind]() }), { value });
  if (!parsed.success) throw invalidFields(fieldErrors(parsed.issues));
  if (parsed.output.value === null) throw invalidField('value', 'required', 'value is required');
  return parsed.output.value;
}

/**
 * Adds an address. Emits contact.updated. Raises 404, 400, 409 `address_exists` if the contact has it, `address_taken` if another one
 * has it and `force` is not set, `limit_reached`.
 */
export async function addAddress(
  tx: UnitOfWork,
  contactId: number,
  { kind, value: given, label = null, isPrimary: isWanted, force }: v.InferOutput<typeof CreateContactAddress>,
): Promise<ShownAddress> {
  const contact = await getStoredContact(tx, contactId);
  const value = readValue(kind, given);
  const addresses = addressesOf(contact);
  const { matches, key } = await lookupOf(tx, kind, value);
  if (matches(contact))
    throw conflict('address_exists', `contact ${contactId} has this address already: change that one instead`);
  requireRoom(addresses.length + 1);
  if (!force) await requireNobodyElse(tx, contactId, { kind, value, key });
  const address = { id: lastAddressIdOf(contact) + 1, kind, value, label, createdAt: tx.now };
  const becomesPrimary = isWanted || contact[kind] === null;
  const next = withAddresses(contact, [...addresses, address], becomesPrimary ? { [kind]: value } : {});
  const saved = await saveAddresses(tx, contact, next, { oldValue: null, newValue: value });
  return shownOne(tx, saved, address.id);
}

/** Raises 409 for more addresses than a contact may have. */
export function requireRoom(count: number): void {
  if (count > maxAddresses)
    throw conflict('limit_reached', `a contact has at most ${maxAddresses} addresses: delete one first`, {
      limit: maxAddresses,
    });
}

/** Raises 409 if another contact has an address. Two that add it at the same time meet at the row of an upsert by it. */
async function requireNobodyElse(
  tx: UnitOfWork,
  contactId: number,
  { kind, value, key }: { kind: AddressKind; value: string; key: string },
): Promise<void> {
  const before = await tx.find(Upserts, { match: key });
  const other = await contactWith(tx, kind, value, ({ id }) => id !== contactId);
  if (other !== undefined)
    throw conflict(
      'address_taken',
      `contact ${other.id} has this address: use that contact, merge both, or send force: true`,
      { contactId: other.id },
    );
  if (before) tx.update(Upserts, { match: key, contactId });
  else tx.create(Upserts, { match: key, contactId });
}

/** Changes the label, or makes an address the primary one of its kind. Emits contact.updated unless nothing changed. Raises 404. */
export async function patchAddress(
  tx: UnitOfWork,
  contactId: number,
  addressId: number,
  { label, isPrimary: isWanted }: v.InferOutput<typeof PatchContactAddress>,
): Promise<ShownAddress> {
  if (isWanted === false)
    throw invalidField('isPrimary', 'not_allowed', 'isPrimary must be true: make another address the primary one');
  const { contact, addresses, address } = await requireAddress(tx, contactId, addressId);
  const changed = { ...address, label: label === undefined ? address.label : label };
  const takesOver = isWanted === true && !isPrimary(contact, address);
  if (changed.label === address.label && !takesOver) return shownOne(tx, contact, addressId);
  const next = withAddresses(
    contact,
    addresses.map((one) => (one === address ? changed : one)),
    takesOver ? { [address.kind]: address.value } : {},
  );
  const told = { oldValue: address.label, newValue: changed.label };
  return shownOne(tx, await saveAddresses(tx, contact, next, told), addressId);
}

/** Removes an address; the next one of its kind becomes primary. Emits contact.updated. Raises 404, 400 if nothing tells who it is. */
export async function deleteAddress(
  tx: UnitOfWork,
  contactId: number,
  addressId: number,
): Promise<{ id: number; deleted: true }> {
  const { contact, address } = await requireAddress(tx, contactId, addressId);
  const next = isPrimary(contact, address)
    ? withoutPrimaryOf(contact, address.kind)
    : withAddresses(
        contact,
        addressesOf(contact).filter((one) => one.id !== addressId),
        {},
      );
  requireIdentity(next);
  await saveAddresses(tx, contact, next, { oldValue: address.value, newValue: null });
  return { id: addressId, deleted: true };
}

/** Returns an address with its contact. Raises 404. */
export async function requireAddress(tx: UnitOfWork, contactId: number, addressId: number) {
  const contact = await getStoredContact(tx, contactId);
  const addresses = addressesOf(contact);
  const address = addresses.find(({ id }) => id === addressId);
  if (address === undefined) throw notFound('address');
  return { contact, addresses, address };
}

async function shownOne(tx: UnitOfWork, contact: StoredContact, addressId: number): Promise<ShownAddress> {
  const [shown = []] = await shownAddresses(tx, [contact]);
  return shown.find(({ id }) => id === addressId) as ShownAddress;
}

/** Returns a contact without its primary address of a kind, whose place the next one takes. */
function withoutPrimaryOf(contact: StoredContact, kind: AddressKind): StoredContact {
  const left = addressesOf(contact).filter((one) => one.kind !== kind || !isPrimary(contact, one));
  return withAddresses(contact, left, { [kind]: left.find((one) => one.kind === kind)?.value ?? null });
}

/**
 * Returns a contact whose primary address of a kind has another value, which takes the place of the old one. One that is a further
 * address becomes the primary one, and the former one goes; without a value the next one becomes primary.
 */
export async function withPrimary(
  tx: UnitOfWork,
  contact: StoredContact,
  kind: AddressKind,
  value: string | null,
): Promise<StoredContact> {
  if (value === null) return withoutPrimaryOf(contact, kind);
  const addresses = addressesOf(contact);
  const old = addresses.find((one) => one.kind === kind && isPrimary(contact, one));
  const others = addresses.filter((one) => one !== old);
  if (old === undefined) {
    requireRoom(addresses.length + 1);
    const added = { id: lastAddressIdOf(contact) + 1, kind, value, label: null, createdAt: tx.now };
    return withAddresses(contact, [...others, added], { [kind]: value });
  }
  const likes = others.filter((one) => one.kind === kind);
  const normal = await comparison(tx, likes);
  const further = likes.find((one) => normal(kind, one.value) === normal(kind, value));
  const after = (further ? others : addresses).map((one) => (one === (further ?? old) ? { ...one, value } : one));
  return withAddresses(contact, after, { [kind]: value });
}

interface Told {
  oldValue: string | null;
  newValue: string | null;
}

/** Writes a contact with other addresses, with one line of its history, and links it by a new e-mail address. Emits contact.updated. */
async function saveAddresses(
  tx: UnitOfWork,
  before: StoredContact,
  next: StoredContact,
  told: Told,
): Promise<StoredContact> {
  const primaries = (['email', 'phone'] as const).filter((kind) => next[kind] !== before[kind]);
  const [primary] = primaries;
  await tx.reserveIds({ [Activities.name]: 1 });
  if (primary)
    await addActivity(tx, next.id, 'FieldUpdated', {
      field: primary,
      oldValue: before[primary],
      newValue: next[primary],
    });
  else await addActivity(tx, next.id, 'FieldUpdated', { field: 'addresses', ...told });
  const known = new Set(valuesOf(before, 'email'));
  const [added] = valuesOf(next, 'email').filter((email) => !known.has(email));
  const isLinked = added !== undefined && (await linkByMail(tx, next, added));
  const fields = [...(primary ? primaries : (['addresses'] as const)), ...(isLinked ? (['companies'] as const) : [])];
  return updateContact(tx, next, changesOf(toldOf(before), toldOf(next), fields));
}

/** The fields of a contact that an event of its addresses tells. */
const toldOf = (contact: StoredContact) => ({
  email: contact.email,
  phone: contact.phone,
  addresses: addressesOf(contact).map((one) => ({
    id: one.id,
    kind: one.kind,
    value: one.value,
    label: one.label,
    isPrimary: isPrimary(contact, one),
  })),
  companies: contact.companyLinks ?? [],
});
