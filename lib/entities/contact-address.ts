import * as v from 'valibot';
import { addressKinds } from '#lib/core/choices.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { phoneDigits } from '#lib/core/phone.ts';
import { choice, id, line, nullableLine, storedChoice, time } from '#lib/core/schema.ts';

export type AddressKind = (typeof addressKinds)[number];

/** An e-mail address or a phone number of a contact (revision 1.4, section 30). */
export const ContactAddress = v.pipe(
  v.object({
    id: id(),
    kind: storedChoice(addressKinds),
    value: v.string(),
    normalized: v.string(),
    label: v.nullable(v.string()),
    isPrimary: v.boolean(),
    bouncedAt: v.nullable(time()),
    createdAt: time(),
  }),
  v.title('ContactAddress'),
);
export const ContactAddresses = v.pipe(v.object({ items: v.array(ContactAddress) }), v.title('ContactAddresses'));

/** Limit for the addresses of both kinds together. */
export const maxAddresses = 20;

const label = () => v.optional(nullableLine(40));
export const CreateContactAddress = v.pipe(
  v.object({
    kind: choice(addressKinds),
    value: v.pipe(line(254), v.examples(['ada@home.example'])),
    label: label(),
    isPrimary: v.optional(v.boolean()),
    force: v.optional(v.boolean(), false),
  }),
  v.title('CreateContactAddress'),
);
export const PatchContactAddress = v.pipe(
  v.object({ label: label(), isPrimary: v.optional(v.boolean()) }),
  v.title('PatchContactAddress'),
);

/** An address as the row of its contact holds it. */
export const StoredAddress = v.object({
  id: id(),
  kind: v.picklist(addressKinds),
  value: v.string(),
  label: v.nullable(v.string()),
  createdAt: v.string(),
});
export type StoredAddress = v.InferOutput<typeof StoredAddress>;

/** Fields of a contact's row that tell its addresses. */
export const storedAddresses = {
  /** All of them, ascending by id. Absent while they are the e-mail address and the phone number that it was created with. */
  addressList: v.optional(v.array(StoredAddress)),
  /** The highest id that an address of the contact has had, if it is above those of its first ones. */
  lastAddressId: v.optional(id()),
};

/** Ids of the addresses that a contact is created with. */
const firstIds: Record<AddressKind, number> = { email: 1, phone: 2 };

interface Addressed {
  email: string | null;
  phone: string | null;
  createdAt: string;
  addressList?: readonly StoredAddress[] | undefined;
  lastAddressId?: number | undefined;
}

/** Returns the addresses of a contact, ascending by id. */
export const addressesOf = (contact: Addressed): readonly StoredAddress[] =>
  contact.addressList ??
  addressKinds.flatMap((kind) => {
    const value = contact[kind];
    return value === null ? [] : [{ id: firstIds[kind], kind, value, label: null, createdAt: contact.createdAt }];
  });

/** Returns the highest id that an address of the contact has had. */
export const lastAddressIdOf = ({ lastAddressId = firstIds.phone }: Addressed): number => lastAddressId;

/** Returns the values of one kind, the primary one first. */
export const valuesOf = (contact: Addressed, kind: AddressKind): string[] => {
  const values = addressesOf(contact).flatMap((one) => (one.kind === kind ? [one.value] : []));
  const primary = contact[kind];
  return primary === null ? values : [primary, ...values.filter((one) => one !== primary)];
};

/** Returns a contact with these addresses and primary ones. The row holds no list that says what the two fields say already. */
export function withAddresses<Contact extends Addressed>(
  contact: Contact,
  addresses: readonly StoredAddress[],
  primary: Partial<Record<AddressKind, string | null>>,
): Contact {
  const { addressList: _, lastAddressId: __, ...plain } = { ...contact, ...primary };
  const sorted = addresses.toSorted((a, b) => a.id - b.id);
  const lastAddressId = Math.max(lastAddressIdOf(contact), ...sorted.map((one) => one.id));
  return {
    ...(plain as Contact),
    ...(JSON.stringify(sorted) !== JSON.stringify(addressesOf(plain)) && { addressList: sorted }),
    ...(lastAddressId > firstIds.phone && { lastAddressId }),
  };
}

/** Number of digits by which the table finds a phone number: those of a country and of a trunk come before them. */
const phoneEndDigits = 6;

/** Returns the end of a phone number, which it has in national and international form. */
export const phoneEnd = (phone: string): string => phoneDigits(phone).slice(-phoneEndDigits);

const unique = (values: readonly string[]) => [...new Set(values)];

/** Indexes of contacts by their addresses. */
export const addressIndexes = {
  phone: (contact: Addressed) => unique(valuesOf(contact, 'phone').map(phoneEnd)),
  email: {
    of: (contact: Addressed) => unique(valuesOf(contact, 'email').map(addressKey)),
    isKeptArchived: true,
  },
  mailDomain: (contact: Addressed) => unique(valuesOf(contact, 'email').map(domainOf)),
} as const;

/** Returns the domain of an e-mail address in the form that all spellings share. */
export function domainOf(email: string): string {
  const key = addressKey(email);
  return key.slice(key.lastIndexOf('@') + 1);
}
