import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { annotationsOf, isChoice, type Tool } from './tool.ts';

type JsonSchema = Record<string, unknown>;

/**
 * A tool as `tools/list` shows it. Models read types and descriptions; limits and forms are left out, since the operation
 * itself refuses what breaks them and says so.
 */
export function definitionOf(tool: Tool, values: readonly string[] | undefined): object {
  const { name, title, description, uses, takes, gives, effect } = tool;
  const choice = isChoice(uses) ? { [uses.by]: { type: 'string', enum: values, description: uses.description } } : {};
  const properties = Object.fromEntries(
    Object.entries(takes).map(([key, of]) => [
      key,
      described(shapeOf(of.schema, effect === 'sets' || effect === 'sets and adds'), of.description),
    ]),
  );
  const required = [
    ...(isChoice(uses) && !values?.includes(uses.usual ?? '') ? [uses.by] : []),
    ...Object.entries(takes)
      .filter(([, { isRequired }]) => isRequired)
      .map(([key]) => key),
  ];
  return {
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: { ...choice, ...properties },
      ...(required.length > 0 ? { required } : {}),
    },
    outputSchema: gives,
    annotations: annotationsOf(tool),
  };
}

/** Returns the types of a parameter, of its items, and its values, as JSON Schema says them. */
export const typeOf = (schema: v.GenericSchema) =>
  compact(toJsonSchema(schema, { target: 'draft-2020-12', typeMode: 'input', errorMode: 'ignore' }) as JsonSchema);

/** Some clients know no object without properties: it is sent as its JSON. */
const described = (shape: JsonSchema, description: string): JsonSchema =>
  shape['type'] === 'object' && !shape['properties']
    ? { type: 'string', description: `JSON object: ${description}` }
    : { ...shape, description };

/**
 * One type per parameter, since many clients know no more: an id or a word is text, which the API reads as both. Null is there
 * only where it clears something that an empty text cannot.
 */
function shapeOf(schema: v.GenericSchema, clears: boolean): JsonSchema {
  const { type, enum: values, ...others } = typeOf(schema);
  const types = [type].flat().filter((one) => one !== 'null');
  const only = {
    type: types.length === 1 ? types[0] : 'string',
    ...(Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
    ...others,
  };
  const isNullable = Array.isArray(type) && type.includes('null');
  return clears && isNullable && only.type !== 'string' ? { anyOf: [only, { type: 'null' }] } : only;
}

/** Types, values and the fields of objects. */
function compact({ type, enum: values, anyOf, items, properties, required, ...others }: JsonSchema): JsonSchema {
  if (Array.isArray(anyOf)) return oneOf((anyOf as JsonSchema[]).map(compact));
  if ('const' in others) return { type: typeof others['const'], enum: [others['const']] };
  return {
    ...(type === undefined ? {} : { type }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: compact(items as JsonSchema) }),
    ...(Object.keys(properties ?? {}).length === 0
      ? {}
      : { properties: mapped(properties as Record<string, JsonSchema>), required }),
  };
}

const mapped = (properties: Record<string, JsonSchema>) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, compact(schema)]));

/** `string or null` as one schema of two types. */
function oneOf(options: JsonSchema[]): JsonSchema {
  const types = [...new Set(options.flatMap(({ type }) => type))];
  const [first] = options;
  const values = options.length === 2 && types.includes('null') ? first?.['enum'] : undefined;
  return {
    ...(types.length === 2 && types.includes('null') ? first : {}),
    type: types,
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}
