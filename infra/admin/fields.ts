import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';

type Json = Record<string, unknown>;

/** Returns the fields of a command in one line: `{workspaceId: integer, env: live|test, name?: string}`. */
export const fieldsOf = (schema: GenericSchema): string =>
  shapeOf(toJsonSchema(schema, { target: 'draft-2020-12', typeMode: 'input', errorMode: 'ignore' }) as Json);

function shapeOf(schema: Json): string {
  const shape = (of: unknown) => shapeOf(of as Json);
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(alternatives)) return [...new Set(alternatives.map(shape))].join(' or ');
  if (Array.isArray(schema['allOf'])) return schema['allOf'].map(shape).join(' and ');
  if ('const' in schema) return String(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].join('|');
  if (schema['type'] === 'array') return `[${shape(schema['items'] ?? {})}, …]`;
  if (schema['properties'] !== undefined) {
    const required = (schema['required'] ?? []) as string[];
    const fields = Object.entries(schema['properties'] as Json);
    return `{${fields.map(([name, of]) => `${name}${required.includes(name) ? '' : '?'}: ${shape(of)}`).join(', ')}}`;
  }
  return String(schema['format'] === 'date-time' ? 'date-time' : [schema['type'] ?? 'anything'].flat().join('|'));
}
