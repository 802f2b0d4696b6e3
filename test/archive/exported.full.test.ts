import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemo } from '#infra/local/demo.ts';
import { type ArchivedRow, restored } from '#lib/archive/archive.ts';
import { exportWorkspace } from '#lib/archive/export.ts';
import { importWorkspace } from '#lib/archive/import.ts';
import { divided, entityIn, kindOfPartition } from '#lib/archive/kinds.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import type { Entity } from '#lib/table/entity.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { api, eventually } from '#test/client.ts';
import { at, changed, keys, long, ownPaths, type Path, wrongs } from './spoiled.ts';

let folder: string;
let lines: string[];
let rows: { of: Entity; row: ArchivedRow; line: number }[];

/** The export of a workspace with something on every page, and one row of each kind, channel and type in it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-exported-'));
  const file = join(folder, 'demo.ndjson');
  const { workspaceId, liveKey } = await createDemo();
  const live = api(liveKey);
  const { body: endpoint } = await live.post('/v1/webhooks', { url: 'https://receiver.example/hook' });
  await live.post(`/v1/webhooks/${endpoint.id}/test`, {});
  await live.patch(`/v1/webhooks/${endpoint.id}`, { isActive: false });
  await eventually(
    async () => (await exportWorkspace(workspaceId, file).catch(() => undefined)) !== undefined,
    'the export',
    60_000,
  );
  lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const seen = new Set<string>();
  rows = lines.slice(1, -1).flatMap((text, index) => {
    const row = JSON.parse(text) as ArchivedRow;
    const { partition } = divided(row.pk);
    const of = entityIn(partition);
    const shape = JSON.stringify([
      kindOfPartition(partition),
      row['channel'],
      row['kind'],
      row['type'],
      row['direction'],
    ]);
    if (of === undefined || seen.has(shape) || restored(1, 2, row).length === 0) return [];
    seen.add(shape);
    return [{ of, row, line: index + 2 }];
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Takes the file with another row in the place of one into a new workspace. */
async function takenWith(line: number, row: object): Promise<void> {
  const file = join(folder, 'spoiled.ndjson');
  await writeFile(file, `${lines.with(line - 1, JSON.stringify(row)).join('\n')}\n`);
  const { id } = await createWorkspace({ name: 'Spoiled', currency: 'USD' });
  await importWorkspace(id, file);
}

/** Nothing has one. */
const lists = [[['x']]];

/** What is of another type than a value, or longer than any text. */
function spoiled(value: unknown): readonly unknown[] {
  if (value === null) return [lists, keys];
  if (typeof value === 'string') return [long, 5, lists];
  if (typeof value === 'number') return ['1', lists, keys];
  return typeof value === 'boolean' ? ['true', lists] : ['x', 5, Array.isArray(value) ? keys : lists];
}

test('the export has rows of both channels, of money, of sequences and of webhooks', () => {
  expect(rows.map(({ of, row }) => [of.name, row['channel']].filter(Boolean).join(' '))).toEqual(
    expect.arrayContaining([
      ...['account telegram', 'account twitter', 'job telegram', 'job twitter', 'inbound telegram', 'inbound twitter'],
      ...['message telegram', 'message twitter', 'message email', 'email-message', 'email-thread', 'identity'],
      ...['transaction', 'invoice', 'revenue-source', 'sequence telegram', 'enrollment', 'agent', 'audit-event'],
      ...['contact', 'deal', 'task', 'tag', 'activity', 'event', 'member', 'pipeline', 'webhook', 'delivery'],
    ]),
  );
});

test('it is taken in, and what is exported of that is taken in again', async () => {
  const again = join(folder, 'again.ndjson');
  const { id } = await createWorkspace({ name: 'Again', currency: 'USD' });
  const counts = await importWorkspace(id, join(folder, 'demo.ndjson'));
  await eventually(
    async () => (await exportWorkspace(id, again).catch(() => undefined)) !== undefined,
    'the export',
    60_000,
  );
  const { id: third } = await createWorkspace({ name: 'Third', currency: 'USD' });
  expect(await importWorkspace(third, again)).toMatchObject({ contacts: counts['contacts'], jobs: counts['jobs'] });
});

test('a value of another type or a text without end is refused by the name of its field, or has gone', () => {
  const found = rows.flatMap(({ of, row }) =>
    ownPaths(row).flatMap((path) => spoiled(at(row, path)).flatMap((value) => wrongs(of, row, path, value))),
  );
  expect(found).toEqual([]);
});

test('what no release has written beside the fields of a row has gone', () => {
  const places = rows.flatMap(({ of, row }) => {
    const objects = ownPaths(row).filter((path) => isObject(at(row, path)));
    return [[], ...objects].map((path: Path) => ({ of, row, path: [...path, 'isAdmin'] }));
  });
  expect(places.length).toBeGreaterThan(rows.length);
  expect(places.flatMap(({ of, row, path }) => wrongs(of, row, path, { of: 'another' }))).toEqual([]);
});

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

test('each kind of row is refused by its line: with a field of another type, of another tenant, and in the place of another', async () => {
  for (const { of, row, line } of rows) {
    const [path] = ownPaths(row).filter((own) => wrongType(of, row, own)) as [Path];
    const cases: [row: object, reason: RegExp][] = [
      [changed(row, path, lists), new RegExp(`^line ${line} of the file: is no ${of.name}: ${path.join('.')} `)],
      [
        { ...row, pk: `7${row.pk}` },
        new RegExp(`^line ${line} of the file: has a partition key that no archive holds$`),
      ],
      [{ ...row, sk: `${row.sk}9` }, new RegExp(`^line ${line} of the file: lies where it does not belong$`)],
    ];
    // That of the workspace is written in the place of the one that takes it in.
    if (of === Workspaces) cases.pop();
    for (const [bad, reason] of cases) await expect(takenWith(line, bad), of.name).rejects.toThrow(reason);
  }
});

/** Whether the field is one that a list in its place is refused for. */
function wrongType(of: Entity, row: ArchivedRow, path: Path): boolean {
  try {
    restored(1, 2, changed(row, path, lists));
    return false;
  } catch (error) {
    return String(error).includes(`is no ${of.name}: ${path.join('.')} `);
  }
}
