import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GenericSchema } from 'valibot';
import type { ArchivedRow } from '#lib/archive/archive.ts';
import { importWorkspace } from '#lib/archive/import.ts';
import { misfit } from '#lib/archive/strict.ts';
import { mintKey } from '#lib/keys/store.ts';
import { scopes } from '#lib/scopes.ts';
import { type Entity, keyOf } from '#lib/table/entity.ts';
import { formOf } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import { type Environment, operator } from '#lib/tenant.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { api, type Client } from '#test/client.ts';

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
  'telegram/12345',
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

export const event = {
  event: 'contact.stage_changed',
  id: 'a',
  timestamp: '2026-01-01T00:00:00Z',
  sequence: 1,
  livemode: true,
  data: { contact_id: '1' },
};

/** A row of an entity as an archive holds it, with everything in it that may be there. */
export function rowOf(of: Entity, fields: Readonly<Record<string, unknown>> = {}): ArchivedRow {
  const item = sample(of.schema as Schema) as Record<string, unknown>;
  if (of.name === 'event') {
    const { livemode, data, ...own } = event;
    const said = { ...own, ...fields };
    Object.assign(item, said, { body: JSON.stringify({ ...said, livemode, data }) });
  }
  if (of.name === 'merged-contact') item['id'] = 2;
  if (of.name === 'erasure') item['status'] = 'completed';
  Object.assign(item, fields);
  const { pk, sk } = keyOf({ workspaceId: 0, env: 'live' }, of, item);
  return { ...formOf(of, item), pk: pk.slice(1), sk, v: 1 };
}

/** Takes an archive of these rows into a new workspace, and returns its id. */
export async function taken(rows: readonly ArchivedRow[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-handmade-'));
  const file = join(folder, 'handmade.ndjson');
  const lines = [
    { format: 'crm-workspace', version: 2, workspaceId: 1, exportedAt: '2026-01-01T00:00:00Z' },
    ...rows,
    { rows: rows.length, counts: {} },
  ];
  try {
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { id } = await createWorkspace({ name: 'Handmade', currency: 'USD' });
    await importWorkspace(id, file);
    return id;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A client with a key of every scope. */
export async function clientOf(workspaceId: number, env: Environment = 'live'): Promise<Client> {
  const terms = { name: 'reader', scopes, ipAllowlist: [], expiresAt: null };
  const limits = { createdByKeyId: null, rateLimitPerMinute: 1_000_000 };
  return api((await transact({ workspaceId, env }, operator, (tx) => mintKey(tx, terms, limits))).key);
}
