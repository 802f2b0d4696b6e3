import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { deliveryHeaders } from '#infra/openapi/webhooks.ts';
import { renderOpenApi } from '#infra/openapi.ts';
import { apiRevision } from '#lib/core/revision.ts';
import { headersOf } from '#lib/webhooks/headers.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const bin = (name: string) => join(root, 'node_modules/.bin', name);

let folder: string;
let rendered: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-openapi-'));
  file = join(folder, 'openapi.json');
  rendered = await renderOpenApi();
  await writeFile(file, rendered);
});
afterAll(() => rm(folder, { recursive: true }));

test('openapi.json is what the routes say', async () => {
  expect(await readFile(join(root, 'openapi.json'), 'utf8')).toBe(rendered);
});

test("every package's version is the contract's revision", async () => {
  const read = async (name: string) => JSON.parse(await readFile(join(root, name), 'utf8'));
  const manifests = await Promise.all(['', 'client/', 'cli/'].map((folder) => read(`${folder}package.json`)));
  const lock = await read('package-lock.json');
  const locked = ['', 'client', 'cli'].map((folder) => lock.packages[folder]);
  const versions = [...manifests, lock, ...locked, JSON.parse(rendered).info].map(({ version }) => version);
  expect(versions).toEqual(versions.map(() => apiRevision));
});

test('every operation that may send mail describes its answer without a sender address', async () => {
  const { paths } = JSON.parse(rendered);
  const sending = (await loadRoutes()).map(({ route }) => route).filter(({ needs }) => needs?.includes('mail-sender'));
  const described = sending.filter(({ path, isUndocumented }) => path !== '/mcp' && !isUndocumented);
  expect(described.length).toBeGreaterThan(1);
  for (const { method, path } of described)
    expect([path, paths[path][method.toLowerCase()].description]).toEqual([
      path,
      expect.stringContaining('mail_not_configured'),
    ]);
});

test('every reason of a 409 that the contract names is described, and those of our own beside them', async () => {
  const contract = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const section = contract.split('\n## ').find((part) => part.startsWith('16.')) ?? '';
  const [, rows = ''] = section.split('|---|---|');
  const named = [...rows.matchAll(/^\| ([^|]+)/gm)].flatMap(([, cell = '']) => cell.match(/\w*_\w+/g) ?? []);
  const later = [...contract.matchAll(/409 `(\w+_\w+)`/g)].map(([, reason]) => reason);
  const { responses } = JSON.parse(rendered).components;
  const described: string = JSON.stringify([responses.Conflict, responses.StaleVersion]);
  expect(named.length).toBeGreaterThan(15);
  expect(later).toEqual(expect.arrayContaining(['account_exists', 'login_over', 'recipient_bounced']));
  for (const reason of [...named, ...later, 'too_many_accounts']) expect(described).toContain(`- \`${reason}\`: `);
  expect(JSON.stringify(responses.BadRequest)).toContain('- `range_too_large`: ');
  for (const reason of ['daily_quota', 'too_many_at_once', 'code_sent_lately'])
    expect(JSON.stringify(responses.RateLimited)).toContain(`- \`${reason}\`: `);
});

test('the webhooks are described with the headers that deliveries carry', () => {
  const signed = { timestamp: 1, simple: 'a', previous: 'b', standard: 'c' };
  const sent = headersOf({ deliveryId: 'd', eventKind: 'task.created', replayOf: 'e' }, 1, signed);
  const described = Object.values(deliveryHeaders).map(({ name }) => name);
  expect(['Content-Type', 'User-Agent', ...described].sort()).toEqual(Object.keys(sent).sort());
});

test('Redocly finds no error and no warning', async () => {
  const { stderr } = await run(
    bin('redocly'),
    ['lint', file, '--config', join(root, 'redocly.yaml'), '--max-problems=20'],
    {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  expect(stderr).not.toMatch(/warning/i);
});

test('Spectral finds no error and no warning', async () => {
  const ruleset = join(root, '.spectral.yaml');
  const { stdout } = await run(bin('spectral'), ['lint', file, '--ruleset', ruleset, '--fail-severity=warn']);
  expect(stdout).toMatch(/No results/);
});

interface Schema {
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
}

function* schemasIn(value: unknown): Generator<Schema> {
  if (typeof value !== 'object' || value === null) return;
  if ('properties' in value) yield value as Schema;
  for (const inner of Object.values(value)) yield* schemasIn(inner);
}

test('every count is an integer of 32 bits', () => {
  const counts = [...schemasIn(JSON.parse(rendered))].flatMap(({ properties = {} }) =>
    Object.entries(properties).filter(([name, { type }]) => /(^c|C)ount$/.test(name) && type !== 'boolean'),
  );
  expect(counts.length).toBeGreaterThan(10);
  for (const [name, schema] of counts) expect(schema, name).toMatchObject({ format: 'int32' });
});

test('every id of ours and every place in a list is an integer of 64 bits in generated clients', () => {
  for (const { properties = {} } of schemasIn(JSON.parse(rendered))) {
    for (const [name, schema] of Object.entries(properties)) {
      if (
        !/^id$|[a-z]Id$|^(nextCursor|after|sequence)$/.test(name) ||
        [schema.type].flat().includes('string') ||
        !schema.type
      )
        continue;
      expect(schema, name).toMatchObject({ format: 'int64' });
    }
  }
});

interface OperationObject {
  description: string;
  security?: unknown[];
  responses: Record<string, { content: Record<string, object> }>;
  'x-required-scopes': string[];
}

test('every operation names its scope, has an example of its answer and says how it can fail', () => {
  const { paths } = JSON.parse(rendered) as { paths: Record<string, Record<string, OperationObject>> };
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const where = `${method} ${path}`;
      const statuses = Object.keys(operation.responses);
      for (const scope of operation['x-required-scopes']) expect(operation.description, where).toContain(scope);
      for (const status of statuses.filter((code) => code.startsWith('2'))) {
        expect(operation.responses[status]?.content['application/json'], where).toHaveProperty('example');
      }
      expect(statuses, where).toEqual(expect.arrayContaining(operation.security ? ['429'] : ['401', '403', '429']));
    }
  }
});
