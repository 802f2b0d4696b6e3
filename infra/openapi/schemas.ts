import { isDeepStrictEqual } from 'node:util';
import { type OverrideSchemaContext, toJsonSchema } from '@valibot/to-json-schema';
import { type GenericSchema, getTitle } from 'valibot';
import { type JsonSchema, withInner } from './inner.ts';

/** The titled schemas of a document: `v.title('Contact')` makes `#/components/schemas/Contact`. */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>();
  readonly #described = new Set<string>();

  /** Returns the schema of a request. */
  input(schema: GenericSchema): JsonSchema {
    return this.#convert(schema, 'input');
  }

  /** Returns the schema of an answer. */
  output(schema: GenericSchema): JsonSchema {
    return this.#convert(schema, 'output');
  }

  /** A schema that a reference names, or the schema itself. */
  resolve(schema: JsonSchema): JsonSchema {
    const { $ref } = schema;
    return typeof $ref === 'string' ? (this.#schemas.get($ref.slice(refPrefix.length)) as JsonSchema) : schema;
  }

  /** Describes a title by this schema, wherever one that takes more has it too: the API bears what other versions have written. */
  describe(schema: GenericSchema): void {
    this.output(schema);
    this.#described.add(getTitle(schema) as string);
  }

  add(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name);
    if (this.#described.has(name)) return { $ref: refPrefix + name };
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
      overrideSchema: withDiscriminator,
    }) as JsonSchema;
    const formatted = withFormats(converted);
    return this.#extract(typeMode === 'input' ? withOffsets(formatted) : formatted);
  }

  /** Moves titled schemas, innermost first, to the components. */
  #extract(titled: JsonSchema): JsonSchema {
    const { title, ...schema } = this.#mapped(withInner(titled, (inner) => this.#extract(inner)));
    return typeof title === 'string' ? this.add(title, schema) : schema;
  }

  /** The schema with the names of its options by the value that tells them apart. */
  #mapped(schema: JsonSchema): JsonSchema {
    const { discriminator, oneOf } = schema as { discriminator?: { propertyName: string }; oneOf?: JsonSchema[] };
    if (!discriminator || !oneOf?.every(({ $ref }) => $ref)) return schema;
    const { propertyName } = discriminator;
    const mapping = oneOf.map((option) => {
      const { properties } = this.resolve(option) as { properties: Record<string, JsonSchema> };
      return [properties[propertyName]?.['const'], option['$ref']];
    });
    return { ...schema, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
  }
}

const refPrefix = '#/components/schemas/';

/** A variant says by which property its options are told apart. */
const withDiscriminator = ({ valibotSchema, jsonSchema }: OverrideSchemaContext) =>
  valibotSchema.type === 'variant'
    ? ({
        ...jsonSchema,
        discriminator: { propertyName: (valibotSchema as { key?: unknown }).key },
      } as typeof jsonSchema)
    : undefined;

/** The checks of our own that are named after a limit: in code points, which is what JSON Schema counts, or in words only. */
function translate(action: { type: string; limit?: unknown; requirement?: unknown }, schema: JsonSchema) {
  // Generators of other languages have no words for classes of Unicode: the API says what it refuses.
  if (action.requirement instanceof RegExp && action.requirement.unicode) return withoutPattern(schema);
  if (typeof action.requirement !== 'function') return undefined;
  if (action.type === 'min_code_points') return { ...schema, minLength: action.limit };
  if (action.type === 'max_code_points') return { ...schema, maxLength: action.limit };
  return schema;
}

const withoutPattern = ({ pattern, ...schema }: JsonSchema): JsonSchema => schema;

/** Answers write times in UTC to the second; callers may send any offset (contract 0.1). */
function withOffsets(zoned: JsonSchema): JsonSchema {
  const { pattern, ...schema } = withInner(zoned, withOffsets);
  return schema['format'] === 'date-time' || pattern === undefined ? schema : { ...schema, pattern };
}

const maxInt32 = 2 ** 31 - 1;

/** Generated clients choose the width of a number by its format, and need the type of every value. */
function withFormats(plain: JsonSchema): JsonSchema {
  const schema = withInner(plain, withFormats);
  if (Array.isArray(schema['anyOf'])) return nullable(schema['anyOf'], schema);
  if (schema['type'] === 'integer') return sized(schema);
  if (schema['type'] === 'number') return { ...schema, format: 'double' };
  const { enum: values, ...others } = schema;
  if (Array.isArray(values) && values.length === 1) return { ...others, const: values[0] };
  return 'const' in schema ? { type: typeof schema['const'], ...schema } : schema;
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
