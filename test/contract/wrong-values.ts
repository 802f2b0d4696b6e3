import { maxId } from '#lib/core/schema.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, read by keyword.
export type Schema = Record<string, any>;

/** A value that a field must refuse, with what is wrong about it. */
export interface Wrong {
  why: string;
  value: unknown;
  /** Where inside the field, as `details.fields` names it: `[0].text`. */
  within?: string;
}

const depth = 450;
const deepArray = () => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
const deepObject = () => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`) as unknown;

/** What a JSON body may not hold in a field of this schema. */
export function wrongValues(schema: Schema, isRequired: boolean): Wrong[] {
  const types = typesOf(schema);
  return [
    ...wrongTypes(types),
    ...(types.has('string') && types.size < 3 ? wrongTexts(schema, isRequired && !types.has('null')) : []),
    ...(types.has('integer') || types.has('number') ? wrongNumbers(schema) : []),
    ...(types.has('array') ? wrongArrays(schema) : []),
    ...(types.has('object') ? wrongObjects(schema) : []),
  ];
}

function typesOf({ type, const: constant, enum: values, anyOf = [] }: Schema): Set<string> {
  const own = type === undefined ? [] : [type].flat();
  const implied = [...(values ?? []), ...(constant === undefined ? [] : [constant])].map((value) => typeof value);
  return new Set([...own, ...implied, ...anyOf.flatMap((option: Schema) => [...typesOf(option)])]);
}

function wrongTypes(types: Set<string>): Wrong[] {
  const samples: [string, Wrong[]][] = [
    ['null', [{ why: 'null', value: null }]],
    ['boolean', [{ why: 'a boolean', value: true }]],
    ['string', [{ why: 'a text', value: 'x y' }]],
    ['number', [{ why: 'a number', value: 1 }]],
    [
      'array',
      [
        { why: 'an array', value: [] },
        { why: 'deep arrays', value: deepArray() },
      ],
    ],
    [
      'object',
      [
        { why: 'an object', value: {} },
        { why: 'deep objects', value: deepObject() },
        { why: 'an object that looks like an array', value: { length: 1, 0: 'x' } },
        { why: 'an object that cannot become a text', value: { toString: 1, valueOf: 1 } },
      ],
    ],
  ];
  return samples
    .filter(([type]) => !types.has(type) && !(type === 'number' && types.has('integer')))
    .flatMap(([, wrong]) => wrong);
}

function wrongTexts({ maxLength, pattern, enum: values, format }: Schema, isRequired: boolean): Wrong[] {
  return [
    ...(isRequired
      ? [
          { why: 'an empty text', value: '' },
          { why: 'a blank text', value: ' \t\n' },
        ]
      : []),
    { why: 'a text with a control character of C0', value: 'x\u0001y' },
    { why: 'a text with a control character of C1', value: 'x\u0085y' },
    ...(maxLength === undefined
      ? []
      : [
          { why: 'one character too many', value: 'é'.repeat(maxLength + 1) },
          { why: 'a very long text', value: 'x'.repeat(300_000) },
        ]),
    ...(pattern === undefined ? [] : [{ why: 'a text of another form', value: '!?#é' }]),
    ...(values === undefined ? [] : [{ why: 'no value of the enum', value: 'nonsense' }]),
    ...(format === 'date-time'
      ? ['yesterday', '2026-02-30T00:00:00Z', '2026-W01-1', '2026-01-01T25:00:00Z', '99999-01-01T00:00:00Z'].map(
          (value) => ({ why: `the time ${value}`, value }),
        )
      : []),
  ];
}

function wrongNumbers({ minimum, maximum, type }: Schema): Wrong[] {
  // A number that no id can be is a reference to nothing, whose answer differs by operation (contract 0.1; bodies.test.ts).
  if (minimum === 1 && maximum === maxId) return [{ why: 'a fraction', value: 1.5 }];
  return [
    ...(minimum === undefined ? [] : [{ why: 'less than the least', value: minimum - 1 }]),
    ...(maximum === undefined ? [] : [{ why: 'more than the most', value: maximum + 1 }]),
    ...([type].flat().includes('integer') ? [{ why: 'a fraction', value: 1.5 }] : []),
    { why: 'an enormous number', value: 1e300 },
    { why: 'an enormous negative number', value: -1e300 },
  ];
}

function wrongArrays({ items = {}, maxItems, minItems }: Schema): Wrong[] {
  const inner = typesOf(items).size === 0 ? [] : wrongValues(items, true);
  return [
    ...(minItems ? [{ why: 'an empty array', value: [] }] : []),
    ...(maxItems === undefined
      ? []
      : [
          { why: 'one item too many', value: Array(maxItems + 1).fill(sampleOf(items)) },
          { why: 'a huge array', value: Array(20_000).fill(sampleOf(items)) },
        ]),
    ...inner.map(({ why, value, within = '' }) => ({
      why: `an array with ${why}`,
      value: [value],
      within: `[0]${within}`,
    })),
  ];
}

function wrongObjects({
  properties = {},
  required = [],
  propertyNames,
  additionalProperties,
  examples = [],
}: Schema): Wrong[] {
  const valid = (examples[0] ?? sampleOf({ type: 'object', properties })) as Record<string, unknown>;
  // Of optional members the example may have one in the place of another.
  const least = Object.fromEntries(required.map((name: string) => [name, valid[name]]));
  const missing = required.map((name: string) => ({
    why: `an object without ${name}`,
    value: Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name)),
    within: `.${name}`,
  }));
  const named = Object.entries(properties as Record<string, Schema>).flatMap(([name, schema]) =>
    wrongValues(schema, required.includes(name)).map(({ why, value, within = '' }) => ({
      why: `an object whose ${name} is ${why}`,
      value: { ...(required.includes(name) ? valid : least), [name]: value },
      within: `.${name}${within}`,
    })),
  );
  // The definitions of a workspace say which custom fields there are.
  const isOpen = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0;
  const keys =
    propertyNames && !isOpen
      ? [
          { why: 'a key of another form', value: { 'a b': 'x' } },
          { why: 'a key that is too long', value: { ['k'.repeat(65)]: 'x' } },
          { why: 'too many keys', value: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, 'x'])) },
        ]
      : [];
  const others =
    typeof additionalProperties === 'object' && !isOpen
      ? wrongValues(additionalProperties, false).map(({ why, value }) => ({
          why: `an object that holds ${why}`,
          value: { k: value },
        }))
      : [];
  return [...missing, ...named, ...keys, ...others];
}

/** A value of the schema that is right in itself. */
function sampleOf(schema: Schema): unknown {
  const { enum: values, anyOf, items = {}, properties = {}, pattern = '', examples = [] } = schema;
  const types = typesOf(schema);
  if (examples.length > 0) return examples[0];
  if (values) return values[0];
  if (anyOf) return sampleOf(anyOf[0]);
  if (types.has('string')) return pattern.includes('@') ? 'ada@example.com' : 'x';
  if (types.has('integer')) return 1;
  if (types.has('boolean')) return true;
  if (types.has('array')) return [sampleOf(items)];
  return Object.fromEntries(
    Object.entries(properties as Record<string, Schema>).map(([name, inner]) => [name, sampleOf(inner)]),
  );
}

/** What a query parameter of this schema must refuse. */
export function wrongQueryTexts(name: string, { type, anyOf, minimum, maximum, ...schema }: Schema): string[] {
  const isClamped = name === 'limit';
  const numbers = [
    'x',
    '0x10',
    '1e9999',
    'null',
    '[]',
    ...(type === 'integer' ? ['1.5'] : []),
    ...(isClamped || minimum === undefined ? [] : [String(minimum - 1)]),
    ...(isClamped || maximum === undefined ? [] : [String(maximum + 1)]),
  ];
  const takesZero = anyOf?.some((option: Schema) => option['type'] === 'integer' && option['minimum'] === 0);
  if (anyOf) return ['x', ...(takesZero ? [] : ['0']), '-1', '1.5', 'null', '99999999999'];
  if (type === 'integer' || type === 'number') return numbers;
  if (type === 'boolean') return ['perhaps', '2', 'null'];
  return wrongTexts(schema, false).flatMap(({ value }) => [(value as string).slice(0, 2000)]);
}
