import { likeness, nouns } from './descriptions/all.ts';
import * as common from './descriptions/common.ts';
import type { Noun, Said, Texts } from './descriptions/noun.ts';
import type { JsonSchema } from './inner.ts';

interface Described {
  name?: string;
  description?: string;
}

interface Operation extends Described {
  operationId: string;
  tags: readonly string[];
  parameters?: readonly Described[];
}

interface Document {
  tags: readonly Described[];
  paths: object;
  webhooks?: object;
  components: { schemas: Record<string, JsonSchema>; headers: object; parameters: object };
}

/** Gives a text of the catalog to a part of the document, by the place of the text in the catalog. */
type Give = <Part extends object>(part: Part, place: string, said: Said | undefined) => Part;

const merged = <Value>(select: (noun: Noun) => Readonly<Record<string, Value>> | undefined) =>
  new Map(Object.values(nouns).flatMap((noun) => Object.entries(select(noun) ?? {})));

const schemaTexts = merged(({ schemas }) => schemas);
const enumTexts = merged(({ enums }) => enums);
const operationTexts = merged(({ operations }) => operations);

/**
 * Returns the document with every text of the catalog in its place, and the places in the catalog of the texts that were used.
 * Raises an error where the code has a description already: each text has one place.
 */
export function withDescriptions<Given extends Document>(document: Given) {
  const used = new Set<string>();
  const give: Give = (part, place, said) => {
    if (said === undefined) return part;
    if ('description' in part) throw new Error(`${place} is described in the code as well`);
    used.add(place);
    return { ...part, description: rendered(said) };
  };
  const { components, tags, paths, webhooks } = document;
  const described: Given = {
    ...document,
    tags: tags.map((tag) => give(tag, `${tag.name}.about`, nouns[tag.name as string]?.about)),
    paths: operationsIn(paths, (operation) => operationOf(operation, give)),
    ...(webhooks && { webhooks: operationsIn(webhooks, (operation) => operationOf(operation, give)) }),
    components: {
      ...components,
      schemas: mapped(components.schemas, (schema, title) => componentOf(schema, title, give)),
      headers: mapped<Described>(components.headers, (header, name) =>
        give(header, `headers.${name}`, common.headers[name]),
      ),
      parameters: mapped<Described>(components.parameters, (one, name) =>
        give(one, `headers.${name}`, common.headers[name]),
      ),
    },
  };
  return { document: described, used };
}

/** Returns the place in the catalog of every text. */
export function placesInCatalog(): string[] {
  const within = (place: string, texts: object = {}) => Object.keys(texts).map((name) => `${place}.${name}`);
  return [
    ...within('headers', common.headers),
    ...within('parameters', common.parameters),
    ...within('properties', common.properties),
    ...Object.entries(nouns).flatMap(([name, { about, operations, parameters = {}, schemas = {}, enums }]) => [
      ...(about === undefined ? [] : [`${name}.about`]),
      ...within('operations', operations),
      ...Object.entries(parameters).flatMap(([of, texts]) => within(`${name}.${of}`, texts)),
      ...Object.entries(schemas).flatMap(([title, texts]) => within(title, texts)),
      ...within('enums', enums),
    ]),
  ];
}

const mapped = <Value>(of: object, change: (value: Value, name: string) => Value) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value as Value, name)]));

const operationsIn = (paths: object, change: (operation: Operation) => Operation) =>
  mapped<object>(paths, (methods) => mapped<Operation>(methods, change));

/** The text, and below it a list of what each value means. */
function rendered(said: Said): string {
  if (typeof said === 'string') return said;
  const [text, values] = said;
  return [
    text,
    Object.entries(values)
      .map(([value, meaning]) => `- \`${value}\`: ${meaning}`)
      .join('\n'),
  ].join('\n\n');
}

/** The text of an operation comes before what its route says of itself: scopes, and fields that others change. */
function operationOf({ description: derived, ...operation }: Operation, give: Give): Operation {
  const { operationId, tags, parameters } = operation;
  const text = operationTexts.get(operationId);
  const whole = derived && text ? `${text}\n\n${derived}` : text;
  const described = give(operation, `operations.${operationId}`, whole) as Operation;
  const noun = nouns[tags[0] as string] === undefined ? 'system' : (tags[0] as string);
  return {
    ...(derived && !text ? { ...described, description: derived } : described),
    ...(parameters && { parameters: parameters.map((one) => parameterOf(one, noun, operationId, give)) }),
  };
}

function parameterOf(parameter: Described, noun: string, operationId: string, give: Give): Described {
  const { name } = parameter;
  if (name === undefined) return parameter;
  const texts = nouns[noun]?.parameters ?? {};
  const of = [operationId, '*'].find((one) => texts[one]?.[name] !== undefined);
  return of === undefined
    ? give(parameter, `parameters.${name}`, common.parameters[name])
    : give(parameter, `${noun}.${of}.${name}`, texts[of]?.[name]);
}

function componentOf(schema: JsonSchema, title: string, give: Give): JsonSchema {
  return give(withProperties(schema, title, '', give), `enums.${title}`, enumTexts.get(title));
}

/** The schema with a text for each of its properties, and for those of objects in it that have no name. */
function withProperties(schema: JsonSchema, title: string, above: string, give: Give): JsonSchema {
  const { properties, items } = schema as { properties?: Record<string, JsonSchema>; items?: JsonSchema };
  return {
    ...schema,
    ...(items && { items: withProperties(items, title, above, give) }),
    ...(properties && {
      properties: mapped<JsonSchema>(properties, (property, name) => {
        const place = `${above}${name}`;
        const [of, said] = textOf(title, place);
        return give(withProperties(property, title, `${place}.`, give), `${of}.${place}`, said);
      }),
    }),
  };
}

/** The text of a property in its schema, in the one that is like it, or in all of them. */
function textOf(title: string, place: string): [of: string, said: Said | undefined] {
  for (let at: string | undefined = title; at !== undefined; at = likeness.get(at)) {
    const said: Said | undefined = (schemaTexts.get(at) as Texts | undefined)?.[place];
    if (said !== undefined) return [at, said];
  }
  return ['properties', common.properties[place]];
}
