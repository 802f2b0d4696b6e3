import type { GenericSchema } from 'valibot';
import type { ArchivedRow } from '#lib/archive/archive.ts';
import { misfit } from '#lib/archive/strict.ts';
import { type Entity, keyOf } from '#lib/table/entity.ts';
import { formOf } from '#lib/table/stored.ts';

interface Parts {
  type: string;
  strict?: GenericSchema;
  entries?: Record<string, Schema>;
  item?: Schema;
  wrapped?: Schema;
  value?: Schema;
  options?: readonly (Schema | string)[];
  literal?: unknown;
  pipe?: readonly { type: string; requirement?: unknown }[];
}
export type Schema = GenericSchema & Parts;

export const texts = [
  '12345',
  'ann@example.com',
  'EUR',
  '#aabbcc',
  'https://example.com/',
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.000Z',
];
const isFit = (schema: Schema, value: unknown) => misfit(schema, value) === undefined;

/** A value that a schema has and that this release writes, with everything in it that may be there. */
function sample(schema: Schema): unknown {
  const { type, entries, item, wrapped, value, options = [], literal, strict } = schema;
  if (wrapped) return sample(wrapped);
  if (entries) return Object.fromEntries(Object.entries(entries).map(([name, of]) => [name, sample(of)]));
  if (type === 'array') return [sample(item as Schema)];
  if (type === 'record') return { a: sample(value as Schema) };
  if (type === 'boolean') return true;
  if (type === 'literal') return literal;
  if (type === 'picklist') return options[0];
  if (type === 'variant') return sample(options[0] as Schema);
  if (type === 'union' || type === 'number') return 1;
  const choices = (strict as Schema | undefined)?.options;
  return choices ? choices[0] : texts.find((text) => isFit(schema, text));
}

const event = {
  event: 'contact.stage_changed',
  id: 'a',
  timestamp: '2026-01-01T00:00:00Z',
  sequence: 1,
  livemode: true,
  data: { contact_id: '1' },
};

/** A row of an entity as an archive holds it, with everything in it that may be there. */
export function rowOf(of: Entity): ArchivedRow {
  const item = sample(of.schema as Schema) as Record<string, unknown>;
  if (of.name === 'event') item['body'] = JSON.stringify(event);
  const { pk, sk } = keyOf({ workspaceId: 0, env: 'live' }, of, item);
  return { ...formOf(of, item), pk: pk.slice(1), sk, v: 1 };
}
