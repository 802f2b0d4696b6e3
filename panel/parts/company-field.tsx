import { api } from '../app/api.ts';
import { t } from '../app/texts.ts';
import { idIn } from './contact-text.ts';
import { LookupField } from './lookup-field.tsx';

/** How a CompanyField shows a company. */
export const companyText = ({ id, name }: { id: number; name: string }) => `${name} (#${id})`;

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
    value={typeof value === 'object' ? companyText(value) : value}
    required={required}
    hint={hint}
    placeholder={t.parts.typeAName}
    find={async (q, signal) =>
      (await api.get('/v1/companies', { signal, params: { query: { limit: 10, q } } })).items.map(companyText)
    }
  />
);

/** The company that a CompanyField's text names; null for none. Raises for a text that names none. */
export const companyIn = (text: string | undefined): number | null => idIn(text, () => t.companies.chooseOne);
