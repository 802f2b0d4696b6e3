import { api } from '../app/api.ts';
import { t } from '../app/texts.ts';
import { chosenText, idIn } from './contact-text.ts';
import { type Candidate, LookupField } from './lookup-field.tsx';

/** Looks for companies by a part of their name or domain. */
export async function findCompanies(q: string | undefined, signal: AbortSignal): Promise<Candidate[]> {
  const { items } = await api.get('/v1/companies', { signal, params: { query: { limit: 10, q } } });
  return items.map(({ id, name, domains }) => ({ id, name, detail: domains[0] }));
}

interface CompanyFieldProps {
  label?: string;
  name?: string;
  /** Which is chosen so far, or the name of one that is yet to be found. */
  value?: { id: number; name: string } | string | undefined;
  required?: boolean;
  hint?: string | undefined;
}

/** A company, found by typing a part of its name or domain. */
export const CompanyField = ({
  label = t.companies.company,
  name = 'companyId',
  value,
  required,
  hint,
}: CompanyFieldProps) => (
  <LookupField
    label={label}
    name={name}
    value={typeof value === 'object' ? chosenText(value) : value}
    required={required}
    hint={hint}
    placeholder={t.parts.typeAName}
    find={findCompanies}
  />
);

/** The company that a CompanyField's text names; null for none. Raises for a text that names none. */
export const companyIn = (text: string | undefined): number | null => idIn(text, () => t.companies.chooseOne);
