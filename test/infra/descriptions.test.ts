import { beforeAll, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { placesInCatalog } from '#infra/openapi/describe.ts';
import { world } from '#infra/openapi/world.ts';
import { describedOpenApi } from '#infra/openapi.ts';
import { listedIn, type Operation, type Parameter, type Schema, textBeforeList } from '#panel/document/document.ts';

/** A text of the document: what it describes, under which name callers know that, and how many words it may have. */
interface Described {
  where: string;
  name: string;
  text: string | undefined;
  words: readonly [from: number, to: number];
  /** What it must not just repeat. */
  beside?: readonly (string | undefined)[];
}

const ofOperation = [15, 60] as const;
const ofPart = [5, 40] as const;

let described: Described[];
let used: ReadonlySet<string>;
let schemas: Record<string, Schema>;
let reasons: { name: string; text: string }[];

beforeAll(async () => {
  const { document, used: found } = describedOpenApi(await loadRoutes());
  used = found;
  const {
    paths,
    webhooks = {},
    components,
  } = document as unknown as {
    paths: Record<string, Record<string, Operation>>;
    webhooks?: Record<string, Record<string, Operation>>;
    components: Record<'schemas' | 'headers' | 'parameters', Record<string, Schema>> & {
      responses: Record<string, { description: string }>;
    };
  };
  schemas = components.schemas;
  reasons = Object.values(components.responses).flatMap(({ description }) => listedIn(description));
  const operations = [paths, webhooks].flatMap((of) => Object.values(of).flatMap((methods) => Object.values(methods)));
  described = [
    ...operations.flatMap((operation) => [...textsOf(operation)]),
    ...Object.entries(components.schemas).flatMap(([title, schema]) => [...textsIn(schema, title)]),
    ...[components.headers, components.parameters].flatMap((of) =>
      Object.entries(of).map(([name, { description: text }]) => ({
        where: `header ${name}`,
        name,
        text,
        words: ofPart,
      })),
    ),
  ];
});

function* textsOf({ operationId, summary, description, parameters = [] }: Operation): Generator<Described> {
  // What is derived of the route comes last, in paragraphs of its own.
  const [text] = description?.split('\n\n') ?? [];
  yield { where: operationId, name: operationId, text, words: ofOperation, beside: [summary] };
  for (const { name, description: said, schema } of parameters as Parameter[])
    if (name !== undefined)
      yield { where: `${operationId}?${name}`, name, text: said, words: ofPart, beside: [String(schema?.type)] };
}

function* textsIn(schema: Schema, where: string): Generator<Described> {
  if (schema.enum) yield { where, name: where, text: withoutValues(schema), words: ofPart };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const place = `${where}.${name}`;
    yield { where: place, name, text: withoutValues(property), words: ofPart, beside: [String(property.type)] };
    // An enum of one field has its text from the field.
    for (const inner of [property, property.items ?? {}]) yield* textsIn({ ...inner, enum: undefined } as never, place);
  }
}

const withoutValues = ({ description }: Schema) => description && textBeforeList(description);

const count = (text: string) => text.split(/\s+/).filter(Boolean).length;
const found = (wrong: (one: Described) => boolean) =>
  described.filter(wrong).map(({ where, text }) => `${where}: ${text}`);

test('every operation, event, parameter, property, shared enum and header is described', () => {
  expect(described.length).toBeGreaterThan(1500);
  expect(found(({ text }) => !text)).toEqual([]);
});

test('descriptions keep their length limits', () => {
  expect(found(({ text = '', words: [from, to] }) => text !== '' && (count(text) < from || count(text) > to))).toEqual(
    [],
  );
});

test('no description repeats a summary or a type, nor that of something with another name', () => {
  expect(found(({ text, beside = [] }) => beside.includes(text))).toEqual([]);
  const names = new Map<string, Set<string>>();
  for (const { text, name } of described) if (text) names.set(text, (names.get(text) ?? new Set()).add(plain(name)));
  expect([...names].filter(([, of]) => of.size > 1).map(([text, of]) => [text, ...of])).toEqual([]);
});

/** The same field is `contactId` in a resource, and `contact_id` in an event. */
const plain = (name: string) => name.replaceAll('_', '').toLowerCase();

test('every text of the catalog is used', () => {
  expect(placesInCatalog().filter((place) => !used.has(place))).toEqual([]);
});

test('descriptions begin with a capital or code, end with a stop, and use the words of the style', () => {
  const sentence = /^[A-Z`0-9].*[.:]$/s;
  const banned =
    /(?:^|[.!?] )(?:Who|Whoever|What|Whatever|Whom|Of|So many|Those|That)\b|\b(?:e-?mailed|beyond|besides|by itself)\b/;
  expect(found(({ text = '' }) => text !== '' && (!sentence.test(text) || banned.test(text)))).toEqual([]);
});

test('every reason of an error says what happened and what to do', () => {
  expect(reasons.length).toBeGreaterThan(50);
  const wrong = reasons.filter(({ text }) => count(text) < 8 || count(text) > 40 || !/[.:] \S.*\.$/.test(text));
  expect(wrong).toEqual([]);
});

test('the world of the examples has values only for properties that exist', () => {
  const propertyAt = (title: string, place: string) =>
    place.split('.').reduce<Schema | undefined>((at, name) => at?.properties?.[name], schemas[title]);
  const places = Object.entries(world).flatMap(([title, values]) =>
    Object.keys(values).map((at) => [title, at] as const),
  );
  expect(places.filter(([title, place]) => !propertyAt(title, place))).toEqual([]);
});
