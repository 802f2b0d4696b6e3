import type { Schema } from '#test/contract/wrong-values.ts';

/** The schema with all that it refers to in its place, and `X or null` as one schema of two types. */
export function wholeSchema(schema: Schema, schemas: Record<string, Schema>): Schema {
  const inner = (of: Schema) => wholeSchema(of, schemas);
  const { $ref, ...own } = schema;
  if (typeof $ref === 'string') return { ...inner(schemas[$ref.split('/').at(-1) as string] as Schema), ...own };
  const nullable = own['anyOf']?.length === 2 && own['anyOf'][1].type === 'null';
  if (nullable) {
    const { anyOf, ...others } = own;
    const { type, enum: values, ...option } = inner(anyOf[0]);
    return { ...option, ...others, type: [type, 'null'].flat(), ...(values && { enum: [...values, null] }) };
  }
  return Object.fromEntries(
    Object.entries(own).map(([keyword, value]) => {
      if (keyword === 'properties')
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, of]) => [name, inner(of as Schema)]))];
      if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) return [keyword, value.map(inner)];
      const isSchema = ['items', 'additionalProperties'].includes(keyword) && typeof value === 'object';
      return [keyword, isSchema ? inner(value) : value];
    }),
  );
}
