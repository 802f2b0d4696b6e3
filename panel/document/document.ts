/** What is read of an OpenAPI document by those who show it. */
export interface Document {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    parameters: Record<string, Parameter>;
    schemas: Record<string, Schema>;
    responses: Record<string, Answer>;
    headers: Record<string, Header>;
    securitySchemes: Record<string, { description?: string }>;
  };
}

interface Reference {
  $ref: string;
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  'x-required-scopes'?: readonly string[];
  security?: readonly unknown[];
  parameters?: readonly (Parameter | Reference)[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses?: Record<string, Answer | Reference>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
}

interface Answer {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, Media>;
}

interface Header {
  description?: string;
  schema?: Schema;
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

export interface Schema {
  $ref?: string;
  title?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: readonly unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
}

export interface Called {
  method: string;
  path: string;
  operation: Operation;
}

/** Every operation, in the document's order. */
export const allOperations = ({ paths }: Document): Called[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** Every operation of a tag, in the document's order. */
export const operationsOf = (document: Document, tag: string): Called[] =>
  allOperations(document).filter(({ operation }) => operation.tags?.includes(tag));

export const nameIn = (reference: string): string => reference.split('/').at(-1) as string;

/** The parameters of an operation, those that it shares among them. */
export const parametersOf = ({ components }: Document, { parameters = [] }: Operation): Parameter[] =>
  parameters.map((one) => ('$ref' in one ? (components.parameters[nameIn(one.$ref)] as Parameter) : one));

/** The answers of an operation, or of a receiver of events, by status; `name` where others share it. */
export const answersOf = ({ components }: Document, { responses = {} }: Operation) =>
  Object.entries(responses).map(([status, one]) => {
    const name = '$ref' in one ? nameIn(one.$ref) : undefined;
    return { status, name, answer: name === undefined ? (one as Answer) : (components.responses[name] as Answer) };
  });

/** The body of a request or an answer: JSON, as every one here. */
export const jsonOf = (of: { content?: Record<string, Media> } | undefined): Media | undefined =>
  of?.content?.['application/json'];

/** What a reference leads to; a schema that is none itself. */
export function resolved({ components }: Document, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  return { ...components.schemas[nameIn($ref)], ...beside };
}

export const isPublic = ({ security }: Operation): boolean => security?.length === 0;

/** Returns what a description lists, reasons or values, each with its text: "- `limit_reached`: …". */
export const listedIn = (description: string): { name: string; text: string }[] =>
  [...description.matchAll(/^- `([^`]+)`: (.+)$/gm)].map(([, name = '', text = '']) => ({ name, text }));

/** Returns the description without that list. */
export const textBeforeList = (description: string): string => description.split(/\n\n?- `/, 1)[0] as string;

/** What a schema lets through, in words, one each: `1 to 100 characters`. */
export function limitsIn(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties, pattern, format } = schema;
  return [
    rangeOf(minimum, maximum),
    rangeOf(minLength, maxLength, 'characters'),
    rangeOf(minItems, maxItems, 'items'),
    rangeOf(undefined, maxProperties, 'entries'),
    // The format says it in a word.
    pattern === undefined || format !== undefined ? undefined : `matches ${pattern}`,
  ].filter((limit) => limit !== undefined);
}

function rangeOf(from: number | undefined, to: number | undefined, of = ''): string | undefined {
  if (from === undefined && to === undefined) return undefined;
  const range = to === undefined ? `at least ${from}` : from === undefined ? `at most ${to}` : `${from} to ${to}`;
  return `${range} ${of}`.trim();
}

/** Every field of a schema with its place, `items[].name`, as deep as it goes; a named schema within itself is not entered again. */
export function* fieldsOf(
  document: Document,
  schema: Schema,
  place = '',
  above: readonly string[] = [],
): Generator<{ place: string; schema: Schema }> {
  if (schema.$ref !== undefined && above.includes(schema.$ref)) return;
  const entered = schema.$ref === undefined ? above : [...above, schema.$ref];
  const found = resolved(document, schema);
  if (place !== '') yield { place, schema: found };
  for (const [name, field] of Object.entries(found.properties ?? {}))
    yield* fieldsOf(document, field, place === '' ? name : `${place}.${name}`, entered);
  if (found.items) yield* fieldsOf(document, found.items, `${place}[]`, entered);
  for (const one of [...(found.anyOf ?? []), ...(found.oneOf ?? [])])
    for (const field of fieldsOf(document, one, place, entered)) if (field.place !== place) yield field;
}
