import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { entityIn } from '#infra/admin/archive/kinds.ts';
import { Keys } from '#lib/auth/key.ts';
import { parseTenantKey, type Tenant } from '#lib/core/tenant.ts';
import { countedOf, duePrefix, type Entity, indexEntries, writtenBy } from '#lib/table/entity.ts';
import { identity } from '#lib/table/keys.ts';
import type { Row } from '#lib/table/rows.ts';
import { parseStored } from '#lib/table/stored.ts';
import { record } from './record.ts';

const file = join(import.meta.dirname, 'recorded.jsonl.gz');
// Before the first deployment alone: RECORD_ROWS=1 npx vitest run --project fast test/table/recorded.test.ts
if (process.env['RECORD_ROWS']) await record(file);

/** The rows of a workspace as release 1.4 wrote them. */
const recorded = gunzipSync(readFileSync(file))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

const tenantOf = (pk: string): Tenant => {
  const [name = ''] = pk.split('#');
  return name.includes(':') ? parseTenantKey(name) : { workspaceId: Number(name), env: 'test' };
};
const partitionOf = (pk: string) => pk.slice(pk.indexOf('#') + 1);

const found = recorded.flatMap((row): { of: Entity; row: Row; tenant: Tenant }[] => {
  if (row.pk.startsWith('KEY#'))
    return [{ of: Keys, row, tenant: { workspaceId: Number(row['workspaceId']), env: 'test' } }];
  const of = row.pk.includes('?') ? undefined : entityIn(partitionOf(row.pk));
  return of ? [{ of, row, tenant: tenantOf(row.pk) }] : [];
});

/** What is declared since a later version stands beside the rows that one has written. */
const byItsRelease = (row: Row) => writtenBy(Number(row['entityVersion'] ?? 1));

const advice = 'the declaration says otherwise than what is stored: docs/changing-an-entity.md';

test('every row of release 1.4 can be read', () => {
  expect(found.length).toBeGreaterThan(100);
  for (const { of, row } of found) expect(() => parseStored(of, row), `${identity(row)}: ${advice}`).not.toThrow();
});

test('index entries and timers of the rows of release 1.4 are what their declarations say', () => {
  const beside = found.flatMap(({ of, row, tenant }) => [
    ...indexEntries(tenant, of, parseStored(of, row), byItsRelease(row)).values(),
  ]);
  const stored = recorded
    .filter(({ pk }) => pk.includes('?') || pk.startsWith(duePrefix) || pk.startsWith('MEMBER#'))
    .map(({ tries: _, triedAt: __, ...row }) => row);
  const byKey = (rows: readonly Row[]) => Object.fromEntries(rows.map((row) => [identity(row), row]));
  expect(byKey(beside), advice).toEqual(byKey(stored as Row[]));
});

test('the counters of release 1.4 are what the declarations say', () => {
  const sums: Record<string, Record<string, number>> = {};
  const add = (name: string, by: Readonly<Record<string, unknown>>) => {
    sums[name] ??= {};
    const sum = sums[name];
    for (const [attribute, value] of Object.entries(by)) sum[attribute] = (sum[attribute] ?? 0) + Number(value);
  };
  const declared = new Set<string>();
  for (const { of, row } of found) {
    for (const { group, name, add: by } of countedOf(of, parseStored(of, row), byItsRelease(row))) {
      declared.add(group);
      add(`${group} ${name} declared`, by);
    }
  }
  for (const { pk, sk, ...by } of recorded) {
    const group = partitionOf(pk).replace(/^count\//, '');
    if (declared.has(group)) add(`${group} ${sk.slice(0, sk.lastIndexOf('#'))} recorded`, by);
  }
  expect(declared).toEqual(new Set(['contacts', 'deals', 'email', 'outstanding', 'realized/2026-11', 'tasks']));
  const named = (which: string) =>
    Object.entries(sums).flatMap(([name, sum]) => {
      const isEmpty = Object.values(sum).every((value) => value === 0);
      return name.endsWith(which) && !isEmpty ? [[name.slice(0, -which.length), sum] as const] : [];
    });
  expect(Object.fromEntries(named('declared')), advice).toEqual(Object.fromEntries(named('recorded')));
});
