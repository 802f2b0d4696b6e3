import { api } from '../app/api.ts';
import { t } from '../app/texts.ts';
import { chosenText, idIn } from './contact-text.ts';
import { type Candidate, LookupField } from './lookup-field.tsx';

/** Looks for deals by a part of their title. */
export async function findDeals(q: string | undefined, signal: AbortSignal): Promise<Candidate[]> {
  const { items } = await api.get('/v1/deals', { signal, params: { query: { limit: 10, q } } });
  return items.map(({ id, title, contactName }) => ({ id, name: title, detail: contactName }));
}

interface DealFieldProps {
  label?: string;
  name?: string;
  value?: { id: number; title: string } | undefined;
  required?: boolean;
}

/** A deal, found by typing a part of its title. */
export const DealField = ({ label = t.common.deal, name = 'dealId', value, required }: DealFieldProps) => (
  <LookupField
    label={label}
    name={name}
    value={value && chosenText({ id: value.id, name: value.title })}
    required={required}
    placeholder={t.parts.typeATitle}
    find={findDeals}
  />
);

/** The deal that a DealField's text names; null for none. Raises for a text that names none. */
export const dealIn = (text: string | undefined): number | null => idIn(text, () => t.parts.chooseADealFromThe);
