import { useEffect, useState } from 'preact/hooks';
import { api } from '../app/api.ts';
import { useLoaded } from '../app/load.ts';
import { t } from '../app/texts.ts';
import { written } from './contact-text.ts';
import { Field } from './form.tsx';

const settleMs = 250;

interface ContactFieldProps {
  label?: string;
  name?: string;
  /** Who is chosen so far. */
  value?: { id: number; name: string | null } | undefined;
  required?: boolean;
}

/** A contact, found by typing a part of the name. */
export function ContactField({ label = t.common.contact, name = 'contactId', value, required }: ContactFieldProps) {
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(typed.replace(/ \(#\d+\)$/, '').trim()), settleMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useLoaded(
    (signal) => api.get('/v1/contacts', { signal, params: { query: { limit: 10, q: q || undefined } } }),
    [q],
  );
  return (
    <Field
      label={label}
      name={name}
      value={value && written(value)}
      required={required}
      placeholder={t.parts.typeAName}
      autocomplete="off"
      suggestions={(found.data?.items ?? []).map(written)}
      onType={setTyped}
    />
  );
}
