import type { JsonSchema, SchemaComponents } from './schemas.ts';

/** Texts to try, in this order, for properties of these names; the first that fits the schema is taken. */
const texts: readonly [RegExp, string][] = [
  [/^(expires|run|due|expectedClose)At$/, '2035-06-30T09:00:00Z'],
  [/email$|^to$/i, 'ada@example.com'],
  [/phone$/i, '+44 20 7946 0958'],
  [/username$/i, 'ada_lovelace'],
  [/^name$/i, 'Ada Lovelace'],
  [/color$/i, '#336699'],
  [/currency$/i, 'EUR'],
  [/company$/i, 'Analytical Engines'],
  [/title|subject/i, 'Analytical engine, second instalment'],
  [/text|body|notes|message|preview/i, 'We met at the exhibition.'],
  [/url$/i, 'https://example.com/hooks/crm'],
  [/(keyId|KeyId)$/, 'k7Qm2ZpX9aBc'],
  [/^ip|Ip$/, '203.0.113.7'],
  [/^key$/, 'csk_live_k7Qm2ZpX9aBc0123456789abcdefghijklmnopqrstuv'],
  [/secret$/i, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
];

const byFormat: Record<string, string> = {
  'date-time': '2026-11-20T23:17:47Z',
  date: '2026-11-20',
  email: 'ada@example.com',
  uri: 'https://example.com/hooks/crm',
  uuid: '0b5a3c1e-7f64-4d0a-9a53-8b1c6a4de211',
};

/** An example of a schema, the same every time: its own, its default, its first value, or one that fits its name and limits. */
export function exampleOf(schema: JsonSchema, components: SchemaComponents, name = ''): unknown {
  const {
    examples,
    default: preset,
    const: constant,
    enum: values,
    anyOf,
    oneOf,
    type,
    ...rest
  } = components.resolve(schema);
  if (Array.isArray(examples)) return examples[0];
  if (preset !== undefined) return preset;
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return values[0];
  const options = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  if (name === 'nextCursor') return null;
  if (options) return exampleOf(options[0] as JsonSchema, components, name);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return exampleOfObject(rest, components);
    case 'array':
      return [exampleOf(rest['items'] as JsonSchema, components, name.replace(/s$/, ''))];
    case 'string':
      return exampleOfText(rest, name);
    case 'integer':
    case 'number':
      return numberFor(name, rest as { minimum?: number; maximum?: number });
    case 'boolean':
      return !/^(hasMore|isRevoked)$/.test(name);
    default:
      return null;
  }
}

function exampleOfObject({ properties = {}, additionalProperties }: JsonSchema, components: SchemaComponents) {
  const entries = Object.entries(properties as Record<string, JsonSchema>);
  if (entries.length === 0 && additionalProperties) return { source: 'exhibition' };
  return Object.fromEntries(entries.map(([key, inner]) => [key, exampleOf(inner, components, key)]));
}

function exampleOfText(schema: JsonSchema, name: string): string {
  const { format, pattern = '', minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const fits = (text: string) =>
    new RegExp(pattern as string).test(text) &&
    text.length >= (minLength as number) &&
    text.length <= (maxLength as number);
  const candidates = texts.filter(([names]) => names.test(name)).map(([, text]) => text);
  const found = [...candidates, byFormat[format as string], 'example', '1'].find(
    (text) => text !== undefined && fits(text),
  );
  if (found === undefined)
    throw new Error(`no example fits ${name} ${JSON.stringify(schema)}: give it one with v.examples`);
  return found;
}

function numberFor(
  name: string,
  { minimum = 0, maximum = Number.POSITIVE_INFINITY }: { minimum?: number; maximum?: number },
) {
  const wanted = /score/i.test(name) ? 80 : /(value|total|amount)$/i.test(name) ? 1200.5 : 1;
  return Math.min(Math.max(wanted, minimum), maximum);
}
