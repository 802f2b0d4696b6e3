import { beforeAll, expect, test } from 'vitest';
import { minuteMs, secondMs } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { DataExports, type StoredDataExport } from '#lib/entities/data-export.ts';
import { runDataExport } from '#lib/exports/run.ts';
import { transact } from '#lib/table/transact.ts';
import { between } from '#test/between.ts';
import { type Client, eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { advance, settle } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { ended, exported, linesOf } from './exporting.ts';

let workspace: TestWorkspace;
let live: Client;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
  for (const name of ['Ada', 'Grace', 'Alan']) await live.post('/v1/contacts', { name }, 201);
});

const tenant = () => ({ workspaceId: workspace.id, env: 'live' as const });
const longAgo = '2020-01-01T00:00:00Z';
const body = { object: 'contacts', format: 'ndjson' };
const begun = async (more = {}): Promise<number> => (await live.post('/v1/exports', { ...body, ...more }, 202)).body.id;
const shown = async (id: number) => (await live.get(`/v1/exports/${id}`, {}, 200)).body;
const run = (id: number, ...limits: [Parameters<typeof runDataExport>[2]?]) => runDataExport(tenant(), id, ...limits);
const change = (id: number, changes: Partial<StoredDataExport>) =>
  transact(tenant(), operator, async (tx) => {
    tx.update(DataExports, { ...(await tx.get(DataExports, { id })), ...changes });
  });
const namesIn = async (url: string) =>
  linesOf(Buffer.from(await (await fetch(url)).arrayBuffer())).map(({ name }) => name);

test('an export becomes whole whenever its worker dies', async () => {
  let writes = 0;
  for (let survived = false; !survived; writes += 1) {
    const id = await begun();
    survived = await dyingAfter(writes, () => run(id));
    if (!survived) expect((await shown(id)).status).toBe(writes === 0 ? 'queued' : 'running');
    if (writes > 0 && !survived) await change(id, { leasedUntil: longAgo });
    await run(id);
    const found = await shown(id);
    expect(found).toMatchObject({ status: 'completed', rows: 3 });
    expect(await namesIn(found.url)).toEqual(['Alan', 'Grace', 'Ada']);
  }
  expect(writes).toBeGreaterThan(2);
});

test('an export fails after three workers have died', async () => {
  const id = await begun();
  await change(id, { status: 'running', tries: 3, leasedUntil: longAgo });
  await run(id);
  expect(await shown(id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('in 3 attempts'),
    url: null,
  });
});

test('an export says now and then how many rows are written', async () => {
  const id = await begun();
  const told: unknown[] = [];
  let isLater = false;
  await between(
    async ({ operation }, next) => {
      const answer = await next();
      if (operation === 'Query' && !isLater) {
        isLater = true;
        await advance(3 * secondMs);
      }
      if (/Write|Put/.test(operation)) told.push((await shown(id)).rows);
      return answer;
    },
    () => run(id),
  );
  expect(told).toContain(3);
  expect(told.at(0)).toBeNull();
});

test.each([
  ['takes too long', { readMs: -1, maxBytes: 1e6 }, 'took longer than'],
  ['is too large', { readMs: 1e6, maxBytes: 100 }, 'the file is larger than 100 bytes'],
])('an export that %s fails, and says so', async (_, limits, error) => {
  const id = await begun();
  await run(id, limits);
  expect(await shown(id)).toMatchObject({ status: 'failed', rows: null, error: expect.stringContaining(error) });
});

test('an export that fits nothing fails when it takes too long', async () => {
  const id = await begun({ filter: { field: 'name', op: 'eq', value: 'nobody has this name' } });
  await run(id, { readMs: -1, maxBytes: 1e6 });
  expect(await shown(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('took longer than') });
});

test('an export fails whose column is archived before its turn', async () => {
  const field = (await live.post('/v1/fields', { object: 'contact', slug: 'size', title: 'Size', type: 'number' }, 201))
    .body;
  const id = await begun({ columns: ['fields.size'] });
  await live.post(`/v1/fields/${field.id}/archive`, {}, 200);
  expect((await ended(live, id)).error).toContain('columns[0] names no field of contacts');
});

test('an attempt that was given up ends nothing', async () => {
  const id = await begun();
  await dyingAfter(1, () => run(id));
  const first = await transact(tenant(), operator, (tx) => tx.get(DataExports, { id }));
  await advance(20 * minuteMs);
  const { key } = await transact(tenant(), operator, (tx) => tx.get(DataExports, { id }));
  expect([first.status, key === first.key]).toEqual(['running', false]);
});

test('an erasure removes files that are kept, and begins those under way anew', async () => {
  const { body: gone } = await live.post('/v1/contacts', { name: 'Zyzzyva' }, 201);
  const kept = await exported(live, body);
  expect(await namesIn(kept.export.url)).toContain('Zyzzyva');
  const underWay = await begun();
  await dyingAfter(1, () => run(underWay));
  const erasure = (await live.post(`/v1/contacts/${gone.id}/erasure`, { confirm: String(gone.id) }, 202)).body;
  const isErased = async () => (await live.get(`/v1/erasures/${erasure.id}`)).body.status === 'completed';
  await eventually(isErased, 'the erasure', 60_000);
  await settle();
  expect((await fetch(kept.export.url)).status).toBe(404);
  expect(await shown(kept.export.id)).toMatchObject({
    ...{ status: 'failed', url: null, rows: null, expiresAt: null },
    error: 'a contact was erased, and the file may have named it: export again',
  });
  const anew = await ended(live, underWay);
  expect([anew.status, await namesIn(anew.url)]).toEqual(['completed', ['Alan', 'Grace', 'Ada']]);
});
