import { api } from '../app/api.ts';
import { t } from '../app/texts.ts';
import { written } from './contact-text.ts';
import { LookupField } from './lookup-field.tsx';

interface ContactFieldProps {
  label?: string;
  name?: string;
  /** Who is chosen so far. */
  value?: { id: number; name: string | null } | undefined;
  required?: boolean;
}

/** A contact, found by typing a part of the name. */
export const ContactField = ({ label = t.common.contact, name = 'contactId', value, required }: ContactFieldProps) => (
  <LookupField
    label={label}
    name={name}
    value={value && written(value)}
    required={required}
    placeholder={t.parts.typeAName}
    find={async (q, signal) =>
      (await api.get('/v1/contacts', { signal, params: { query: { limit: 10, q } } })).items.map(written)
    }
  />
);
