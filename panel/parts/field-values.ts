import type { Schema } from '../../client/index.ts';
import { contactIn, written } from './contact-text.ts';
import { instant, localTime } from './local-time.ts';

type Typed = Pick<Schema<'Field'>, 'type'>;
type Values = Readonly<Record<string, string | undefined>>;
type Money = { amount: number; currency: string };

export const isMoney = (value: unknown): value is Money =>
  typeof value === 'object' && value !== null && 'amount' in value;
export const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const instantOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** A value as the fields of its form hold it. */
export function formValues({ type }: Typed, value: unknown): Values {
  if (value === undefined || value === null) return { value: undefined, currency: undefined };
  if (isMoney(value)) return { value: String(value.amount), currency: value.currency };
  if (type === 'multi_select') return { value: JSON.stringify(listOf(value)) };
  if (type === 'datetime') return { value: localTime(String(value)) };
  if (type === 'contact') return { value: written({ id: Number(value) }) };
  return { value: String(value) };
}

/** The value that a form gives, as the API takes it; null for none. */
export function valueIn({ type }: Typed, { value, currency }: Values, before: unknown): unknown {
  if (value === undefined) return null;
  switch (type) {
    case 'number':
    case 'member':
      return Number(value);
    case 'money':
      return { amount: Number(value), currency: currency?.toUpperCase() };
    case 'checkbox':
      return value === 'true';
    case 'datetime':
      return instant(value, instantOf(before));
    case 'multi_select':
      return JSON.parse(value);
    case 'contact':
      return contactIn(value);
    default:
      return value;
  }
}
