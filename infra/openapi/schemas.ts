import { isDeepStrictEqual } from 'node:util';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

export type JsonSchema = Record<string, unknown>;

/** The titled schemas of a document: `v.title('Contact')` makes `#/components/schemas/Contact`. */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>();

  /** What a caller may send. */
  input(schema: GenericSchema): JsonSchema {
    return this.#convert(schema, 'input');
  }

  /** What the API answers. */
  output(schema: GenericSchema): JsonSchema {
    return this.#convert(schema, 'output');
  }

  /** A schema that a reference names, or the schema itself. */
  resolve(schema: JsonSchema): JsonSchema {
    const { $ref } = schema;
    return typeof $ref === 'string' ? (this.#schemas.get($ref.slice(refPrefix.length)) as JsonSchema) : schema;
  }

  add(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name);
    if (known && !isDeepStrictEqual(known, schema)) throw new Error(`two different schemas have the title ${name}`);
    this.#schemas.set(name, schema);
    return { $ref: refPrefix + name };
  }

  toJSON(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #convert(schema: GenericSchema, typeMode: 'input' | 'output'): JsonSchema {
    const { $schema, ...converted } = toJsonSchema(schema, {
      target: 'draft-2020-12',
      typeMode,
      ignoreActions: ['check', 'transform', 'trim', 'mark'],
      overrideAction: ({ valibotAction, jsonSchema }) => translate(valibotAction, jsonSchema as JsonSchema),
    }) as JsonSchema;
    const formatted = withFormats(converted);
    return this.#extract(typeMode === 'input' ? withOffsets(formatted) : formatted) as JsonSchema;
  }

  /** Moves titled schemas, innermost first, to the components. */
  #extract(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#extract(item));
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#extract(inner)]));
    const { title, ...schema } = copy;
    return typeof title === 'string' ? this.add(title, schema) : copy;
  }
}

const refPrefix = '#/components/schemas/';

/** The checks of our own that are named after a limit: in code points, which is what JSON Schema counts, or in words only. */
function translate(action: { type: string; limit?: unknown; requirement?: unknown }, schema: JsonSchema) {
  if (typeof action.requirement !== 'function') return undefined;
  if (action.type === 'min_code_points') return { ...schema, minLength: action.limit };
  if (action.type === 'max_code_points') return { ...schema, maxLength: action.limit };
  return schema;
}

/** Answers write times in UTC to the second; callers may send any offset (contract 0.1). */
function withOffsets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOffsets);
  if (typeof value !== 'object' || value === null) return value;
  const { pattern, ...schema } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withOffsets(inner)]),
  );
  return schema['format'] === 'date-time' || pattern === undefined ? schema : { ...schema, pattern };
}

const maxInt32 = 2 ** 31 - 1;

/** Generated clients choose the width of an integer by its format. */
function withFormats(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withFormats);
  if (typeof value !== 'object' || value === null) return value;
  const schema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withFormats(inner)]));
  if (Array.isArray(schema['anyOf'])) return nullable(schema['anyOf'], schema);
  return schema['type'] === 'integer' ? sized(schema) : schema;
}

function sized({ minimum, maximum, ...others }: JsonSchema): JsonSchema {
  return {
    ...others,
    format: others['format'] ?? (typeof maximum === 'number' && maximum <= maxInt32 ? 'int32' : 'int64'),
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
  };
}

/** `string or null` as one schema with two types, which every client generator understands. */
function nullable(options: JsonSchema[], schema: JsonSchema): JsonSchema {
  const [option, nothing] = options;
  if (options.length !== 2 || nothing?.['type'] !== 'null' || typeof option?.['type'] !== 'string' || option['title']) {
    return schema;
  }
  const { anyOf, ...others } = schema;
  const { type, enum: values, ...rest } = option;
  return { ...rest, ...others, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}
