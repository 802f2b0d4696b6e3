import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { type JsonSchema, withInner } from '#infra/openapi/inner.ts';
import document from '#openapi' with { type: 'json' };

/** What stands in the document, with where: `#/paths/~1v1~1contacts/post`. */
type Found<Value> = [pointer: string, value: Value];

function* everything(value: unknown, pointer = '#'): Generator<Found<Record<string, unknown>>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Record<string, unknown>];
  for (const [key, inner] of Object.entries(value))
    if (!/\/examples?$/.test(pointer) || pointer.includes('/properties/'))
      yield* everything(inner, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
}

function* within([pointer, schema]: Found<JsonSchema>): Generator<Found<JsonSchema>> {
  yield [pointer, schema];
  const inner: JsonSchema[] = [];
  withInner(schema, (one) => {
    inner.push(one);
    return one;
  });
  for (const one of inner) yield* within([`${pointer} …`, one]);
}

const parts = [...everything(document)];
const components = Object.entries(document.components.schemas as unknown as Record<string, JsonSchema>);
const roots: Found<JsonSchema>[] = [
  ...components.map(([name, schema]): Found<JsonSchema> => [name, schema]),
  ...parts.flatMap(([pointer, { schema }]): Found<JsonSchema>[] =>
    typeof schema === 'object' && schema !== null ? [[pointer, schema as JsonSchema]] : [],
  ),
];
const schemas = roots.flatMap((root) => [...within(root)]);

const where = (wrong: (schema: JsonSchema) => boolean) => schemas.filter(([, of]) => wrong(of)).map(([at]) => at);

test('every value has a type, and none is null alone', () => {
  expect(where((schema) => ('const' in schema || 'enum' in schema) && !('type' in schema))).toEqual([]);
  const nullables = new Set(
    schemas.flatMap(([, { anyOf }]) => (Array.isArray(anyOf) && anyOf.some(({ $ref }) => $ref) ? anyOf : [])),
  );
  expect(where((schema) => schema['type'] === 'null' && !nullables.has(schema))).toEqual([]);
});

test('every number says how wide it is', () => {
  const isNumber = ({ type }: JsonSchema) => [type].flat().some((one) => one === 'integer' || one === 'number');
  expect(where((schema) => isNumber(schema) && !('format' in schema))).toEqual([]);
});

test('an enum used in several places and an object in a list are named', () => {
  const names = new Set(components.map(([, schema]) => schema));
  const unnamed = schemas.filter(([, schema]) => 'enum' in schema && !names.has(schema)).map(([, schema]) => schema);
  const values = unnamed.map((schema) => JSON.stringify((schema['enum'] as unknown[]).toSorted()));
  expect(values.filter((one, index) => values.indexOf(one) !== index)).toEqual([]);
  const isObject = (schema: unknown) => typeof schema === 'object' && schema !== null && 'properties' in schema;
  expect(where(({ items }) => isObject(items))).toEqual([]);
});

test('a schema of input does not have the name of a resource’s field', () => {
  const fields = components.flatMap(([name, { properties = {} }]) =>
    Object.entries(properties as Record<string, JsonSchema>)
      .filter(([, schema]) => 'enum' in schema)
      .map(([field]) => `${name}${field.charAt(0).toUpperCase()}${field.slice(1)}`),
  );
  expect(components.filter(([name]) => fields.includes(name)).map(([name]) => name)).toEqual([]);
});

test('webhooks have a tag of their own, and every error one schema', () => {
  const tagsOf = (of: object) => new Set(parts.flatMap(([at, { tags }]) => (at.startsWith(`#/${of}/`) && tags) || []));
  expect([...tagsOf('webhooks' as never)].filter((tag) => tagsOf('paths' as never).has(tag))).toEqual([]);
  const errors = Object.values(document.components.responses).map(({ content }) => content['application/json'].schema);
  for (const schema of errors) expect(schema).toEqual({ $ref: '#/components/schemas/ApiError' });
});

test('every operation has a summary, a description and examples that fit their schemas', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'uri-reference': true } });
  formats.default(ajv);
  ajv.addSchema(document, 'document', undefined, false);
  const bodies = parts.filter(([at]) => /\/content\/application~1json$/.test(decodeURIComponent(at)));
  const withSchema = parts.filter(
    ([at, of]) => 'schema' in of && ('example' in of || 'examples' in of || bodies.some(([body]) => body === at)),
  );
  expect(withSchema.length).toBeGreaterThan(200);
  for (const [at, { example, examples }] of withSchema) {
    const shown = examples
      ? Object.values(examples as Record<string, { value: unknown }>).map(({ value }) => value)
      : [example];
    expect(shown, at).not.toEqual([undefined]);
    const fits = ajv.compile({ $ref: `document${at}/schema` });
    for (const one of shown) expect([at, fits(one), fits.errors]).toEqual([at, true, null]);
  }
  for (const [name, { examples = [] }] of components as [string, { examples?: unknown[] }][])
    for (const one of examples)
      expect([name, ajv.validate(`document#/components/schemas/${name}`, one)]).toEqual([name, true]);
  for (const [path, operations] of Object.entries(document.paths))
    for (const operation of Object.values(operations) as { summary: string; description: string }[])
      expect([path, operation.summary, operation.description]).toEqual([
        path,
        expect.stringMatching(/\S/),
        expect.stringMatching(/\S/),
      ]);
});
