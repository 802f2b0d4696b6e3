import { api } from '../app/api.ts';
import { nameOf } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { written } from './contact-text.ts';
import { type Candidate, LookupField } from './lookup-field.tsx';

interface ContactFieldProps {
  label?: string;
  name?: string;
  /** Who is chosen so far. */
  value?: { id: number; name: string | null } | undefined;
  required?: boolean;
}

/** Looks for contacts by a part of their name. */
export async function findContacts(q: string | undefined, signal: AbortSignal): Promise<Candidate[]> {
  const { items } = await api.get('/v1/contacts', { signal, params: { query: { limit: 10, q } } });
  return items.map((contact) => ({
    id: contact.id,
    name: nameOf(contact),
    detail: contact.email ?? contact.company ?? contact.phone,
  }));
}

/** A contact, found by typing a part of the name. */
export const ContactField = ({ label = t.common.contact, name = 'contactId', value, required }: ContactFieldProps) => (
  <LookupField
    label={label}
    name={name}
    value={value && written(value)}
    required={required}
    placeholder={t.parts.typeAName}
    find={findContacts}
  />
);
