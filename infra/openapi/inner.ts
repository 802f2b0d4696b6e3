export type JsonSchema = Record<string, unknown>;

const byName = ['properties', '$defs'];
const listed = ['anyOf', 'oneOf', 'allOf'];
const single = ['items', 'additionalProperties', 'propertyNames'];

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

/** The schema with every schema directly in it changed; examples and defaults, which are none, stay as they are. */
export const withInner = (schema: JsonSchema, change: (inner: JsonSchema) => JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (!isSchema(value)) return [keyword, value];
      if (byName.includes(keyword))
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner as JsonSchema)])),
        ];
      if (listed.includes(keyword)) return [keyword, (value as unknown as JsonSchema[]).map(change)];
      return [keyword, single.includes(keyword) ? change(value) : value];
    }),
  );
