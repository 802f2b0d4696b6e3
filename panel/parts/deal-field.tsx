import { api } from '../app/api.ts';
import { t } from '../app/texts.ts';
import { idIn } from './contact-text.ts';
import { LookupField } from './lookup-field.tsx';

/** How a DealField shows a deal. */
const dealText = ({ id, title }: { id: number; title: string }) => `${title} (#${id})`;

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
    value={value && dealText(value)}
    required={required}
    placeholder={t.parts.typeATitle}
    find={async (q, signal) =>
      (await api.get('/v1/deals', { signal, params: { query: { limit: 10, q } } })).items.map(dealText)
    }
  />
);

/** The deal that a DealField's text names; null for none. Raises for a text that names none. */
export const dealIn = (text: string | undefined): number | null => idIn(text, () => t.parts.chooseADealFromThe);
