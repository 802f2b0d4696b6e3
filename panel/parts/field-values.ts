import type { Schema } from '../../client/index.ts';
import { t } from '../app/texts.ts';
import { contactIn, idIn, written } from './contact-text.ts';
import { instant, localTime } from './local-time.ts';

type Typed = Pick<Schema<'Field'>, 'slug' | 'type'>;
type Values = Readonly<Record<string, string | undefined>>;
type Money = { amount: number; currency: string };

export const isMoney = (value: unknown): value is Money =>
  typeof value === 'object' && value !== null && 'amount' in value;
export const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const instantOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** What the input of a custom field is called in its form: the name that errors have. */
export const nameIn = ({ slug }: Pick<Typed, 'slug'>): string => `fields.${slug}`;
/** The input of the currency of money. */
export const currencyIn = (field: Pick<Typed, 'slug'>): string => `${nameIn(field)}.currency`;

/** A value as the fields of its form hold it. */
export function formValues(field: Typed, value: unknown): Values {
  const { type } = field;
  const [name, currency] = [nameIn(field), currencyIn(field)];
  // The currency of no money is the usual one, which the form offers.
  if (value === undefined || value === null) return { [name]: undefined };
  if (isMoney(value)) return { [name]: String(value.amount), [currency]: value.currency };
  if (type === 'multi_select') return { [name]: JSON.stringify(listOf(value)) };
  if (type === 'datetime') return { [name]: localTime(String(value)) };
  if (isRecord(type)) return { [name]: written({ id: Number(value) }) };
  return { [name]: String(value) };
}

/** Whether values of a type are ids of records that are found by a part of their name. */
export const isRecord = (type: string): type is 'contact' | 'company' | 'deal' => /^(contact|company|deal)$/.test(type);

/** The value that a form gives, as the API takes it; null for none. */
export function valueIn(field: Typed, values: Values, before: unknown): unknown {
  const { type } = field;
  const value = values[nameIn(field)];
  if (value === undefined) return null;
  switch (type) {
    case 'number':
    case 'member':
      return Number(value);
    case 'money':
      return { amount: Number(value), currency: values[currencyIn(field)]?.toUpperCase() };
    case 'checkbox':
      return value === 'true';
    case 'datetime':
      return instant(value, instantOf(before));
    case 'multi_select':
      return JSON.parse(value);
    case 'contact':
      return contactIn(value);
    case 'company':
    case 'deal':
      return idIn(value, () => t.parts.chooseFromTheList);
    default:
      return value;
  }
}

/** The values that a form of a new record has for some custom fields, as the body of its creation names them. */
export function newValues(
  definitions: readonly Typed[],
  values: Values,
): { fields?: Record<string, NonNullable<unknown> | null> } {
  const given = definitions.filter((field) => values[nameIn(field)] !== undefined);
  if (given.length === 0) return {};
  return { fields: Object.fromEntries(given.map((field) => [field.slug, valueIn(field, values, undefined) ?? null])) };
}
