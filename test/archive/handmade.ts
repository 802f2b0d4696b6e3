import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import type { ArchivedRow } from '#infra/admin/archive/archive.ts';
import { importWorkspace } from '#infra/admin/archive/import.ts';
import { divided, entityIn } from '#infra/admin/archive/kinds.ts';
import { Digest } from '#infra/admin/archive/seal.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import { type Entity, keyOf } from '#lib/table/entity.ts';
import { formOf } from '#lib/table/stored.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';

interface Parts {
  type: string;
  entries?: Record<string, Schema>;
  item?: Schema;
  wrapped?: Schema;
  value?: Schema;
  options?: readonly (Schema | string)[];
  literal?: unknown;
  pipe?: readonly { type: string; metadata?: { enum?: readonly string[] } }[];
}
type Schema = v.GenericSchema & Parts;

const time = '2026-01-01T00:00:00Z';
const texts = ['12345', 'ann@example.com', 'EUR', '#aabbcc', 'https://example.com/', time];
/** Of a field whose schema takes any text. */
const textCalled = (name: string) =>
  ({ currency: 'EUR', email: 'ann@example.com', url: 'https://example.com/', timestamp: time, at: time })[name] ??
  (/(At|Date|Until)$/.test(name) ? time : undefined);

/** Returns a value that a schema has, with everything in it that may be there. */
function sample(schema: Schema, name = ''): unknown {
  const { type, entries, item, wrapped, value, options = [], literal, pipe = [] } = schema;
  if (wrapped) return sample(wrapped, name);
  if (entries) return Object.fromEntries(Object.entries(entries).map(([field, of]) => [field, sample(of, field)]));
  if (type === 'array') return [sample(item as Schema, name)];
  if (type === 'record') return { a: sample(value as Schema) };
  if (type === 'boolean') return true;
  if (type === 'literal') return literal;
  if (type === 'picklist') return options[0];
  if (type === 'variant') return sample(options[0] as Schema);
  if (type === 'union' || type === 'number') return 1;
  const [choices] = pipe.flatMap(({ metadata }) => (metadata?.enum ? [metadata.enum] : []));
  return choices?.[0] ?? [textCalled(name), ...texts].find((text) => v.is(schema, text));
}

/** Returns a row of an entity as an archive holds it, with everything in it that may be there. */
export function rowOf(of: Entity, fields: Readonly<Record<string, unknown>> = {}): ArchivedRow {
  const item = sample(of.schema as Schema) as Record<string, unknown>;
  Object.assign(item, fields);
  const { pk, sk } = keyOf({ workspaceId: 0, env: 'live' }, of, item);
  return { pk: pk.slice(1), ...formOf(of, item), sk, v: 1 };
}

/** Returns the counters of ids that an export of the rows would have. */
function countersOf(rows: readonly ArchivedRow[]): ArchivedRow[] {
  const found = new Map<string, ArchivedRow>();
  for (const { pk, id } of rows) {
    const { env, partition } = divided(pk);
    const of = entityIn(partition);
    if (of === undefined || of === Workspaces || typeof id !== 'number') continue;
    const counter = `${env && `:${env}`}#ids`;
    const row: ArchivedRow = found.get(counter) ?? { pk: counter, sk: 'ids' };
    found.set(counter, { ...row, [of.name]: Math.max(Number(row[of.name] ?? 0), id) });
  }
  return [...found.values()];
}

/** Imports an unsigned archive of these rows into a new workspace, and returns its id. */
export async function taken(rows: readonly ArchivedRow[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-handmade-'));
  const file = join(folder, 'handmade.ndjson');
  const { ALLOW_UNSIGNED_IMPORTS: before } = process.env;
  process.env['ALLOW_UNSIGNED_IMPORTS'] = 'true';
  try {
    await writeFile(file, archiveOf([...rows, ...countersOf(rows)]));
    const { id } = await createWorkspace({ name: 'Handmade', currency: 'USD' });
    await importWorkspace(id, file, { isUnsigned: true });
    return id;
  } finally {
    process.env['ALLOW_UNSIGNED_IMPORTS'] = before ?? '';
    await rm(folder, { recursive: true });
  }
}

/** Returns the text of an archive without a seal. */
export function archiveOf(rows: readonly object[]): string {
  const header = { format: 'crm-workspace', version: 3, workspaceId: 1, exportedAt: time };
  const lines = [header, ...rows].map((line) => JSON.stringify(line));
  const summed = new Digest();
  for (const line of lines) summed.add(line);
  const counted = { rows: rows.length, counts: {} };
  return `${[...lines, JSON.stringify({ ...counted, digest: summed.end(counted) })].join('\n')}\n`;
}
