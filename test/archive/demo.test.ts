import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportWorkspace } from '#infra/admin/archive/export.ts';
import { importWorkspace } from '#infra/admin/archive/import.ts';
import { createDemo } from '#infra/local/demo.ts';
import { environments } from '#lib/core/tenant.ts';
import { duePrefix } from '#lib/table/entity.ts';
import type { Row } from '#lib/table/rows.ts';
import { rowsOfWorkspace, scanned } from '#lib/table/scan.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import document from '#openapi' with { type: 'json' };
import { type Answer, api, type Client, eventually, everyItem } from '#test/client.ts';
import { clientOf } from '#test/workspace.ts';

let folder: string;
let counts: Record<string, number>;
let origin: number;
let copy: number;
/** As they are before the copy has a key. */
let rows: { origin: Map<string, Row>; copy: Map<string, Row> };
const clients = {} as Record<'live' | 'test', { origin: Client; copy: Client }>;

const newId = async () => (await createWorkspace({ name: 'Copy', currency: 'USD' })).id;

/** Exports a workspace when it has come to rest. */
const exported = (id: number, file: string) =>
  eventually(async () => exportWorkspace(id, file).catch(() => undefined), 'the export', 60_000);

/** The demo has something on every page, in both environments. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-demo-'));
  const { workspaceId, liveKey } = await createDemo();
  origin = workspaceId;
  const live = api(liveKey);
  const { body: hook } = await live.post('/v1/webhooks', {
    url: 'https://receiver.example/hook',
    eventKinds: ['contact.erased'],
  });
  await live.post(`/v1/webhooks/${hook.id}/test`, {});
  await live.patch(`/v1/webhooks/${hook.id}`, { isActive: false });
  for (const env of environments) clients[env] = { origin: await clientOf(origin, env), copy: live };
  const file = join(folder, 'demo.ndjson');
  counts = await exported(origin, file);
  copy = await newId();
  expect(await importWorkspace(copy, file)).toEqual(counts);
  rows = { origin: await rowsOf(origin), copy: await rowsOf(copy) };
  for (const env of environments) clients[env].copy = await clientOf(copy, env);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Answers to all reading calls of one environment, by their paths: whole lists, and up to five items of each. */
async function answersOf(client: Client): Promise<Map<string, Answer>> {
  const found = new Map<string, Answer>();
  const reading = Object.entries(document.paths).flatMap(([path, of]) =>
    'get' in of && /^\/v1\/(?!keys|request-logs)/.test(path) ? [path] : [],
  );
  const ask = async (path: string) => {
    const answer = found.get(path) ?? (await whole(client, path));
    found.set(path, answer);
    return answer;
  };
  const filled = async (template: string): Promise<string[]> => {
    const [, list, rest = ''] = /^(.*)\/\{\w+\}([^{]*)$/.exec(template) ?? [];
    if (list === undefined) return [template];
    const all: string[] = [];
    for (const path of await filled(list)) {
      const { items = [{ id: 1 }, { id: 2 }] } = reading.includes(list) ? (await ask(path)).body : {};
      all.push(...items.slice(0, 5).map(({ id }: { id: number }) => `${path}/${id}${rest}`));
    }
    return all;
  };
  for (const template of reading) for (const path of await filled(template)) await ask(path);
  return found;
}

async function whole(client: Client, path: string): Promise<Answer> {
  if (path === '/v1/events') return client.get(path, { limit: 100 });
  const answer = await client.get(path);
  const isPaged = answer.status === 200 && 'nextCursor' in answer.body;
  return isPaged ? { ...answer, body: { items: await everyItem(client, path) } } : answer;
}

/** What does not come along: who asks and when, the secret of webhooks, and whether secrets are there. */
const differing: readonly (readonly [path: RegExp, fields: readonly string[]])[] = [
  [/./, ['requestId', 'from', 'to', 'exportedAt']],
  [/^\/v1\/me$/, ['id', 'email', 'apiKey']],
  [/^\/v1\/webhooks/, ['secretHint']],
  [/^\/v1\/(telegram|twitter)\/accounts/, ['status']],
  [/^\/v1\/finance\/revenue-sources/, ['isActive']],
];

function comparable(path: string, { status, body }: Answer): unknown {
  const left = differing.flatMap(([of, fields]) => (of.test(path) ? fields : []));
  return [status, JSON.parse(JSON.stringify(body, (name, value) => (left.includes(name) ? undefined : value)))];
}

test.each(environments)('an import of the demo answers every GET as the exported workspace: %s', async (env) => {
  const [theirs, ours] = [await answersOf(clients[env].origin), await answersOf(clients[env].copy)];
  const events = ours.get('/v1/events')?.body;
  expect(events.items.pop()).toMatchObject({ event: 'key.created' });
  events.nextCursor -= 1;
  expect([...ours.keys()]).toEqual([...theirs.keys()]);
  expect([...theirs.values()].filter(({ status }) => status === 200).length).toBeGreaterThan(70);
  for (const [path, answer] of ours) {
    const other = theirs.get(path) as Answer;
    expect(comparable(path, answer), path).toEqual(comparable(path, other));
  }
});

test.each(environments)('accounts and revenue sources of an import wait for their secrets: %s', async (env) => {
  const client = clients[env].copy;
  const accounts = ['/v1/telegram/accounts', '/v1/twitter/accounts'].map(async (path) => (await client.get(path)).body);
  for (const { items } of await Promise.all(accounts)) expect(items).toMatchObject([{ status: 'disconnected' }]);
  expect((await client.get('/v1/finance/revenue-sources')).body.items).toMatchObject([{ isActive: false }]);
});

/** Rows and timers of a workspace without its number, by their places; each counter as one. */
async function rowsOf(id: number): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const own = (text: string) => text.replaceAll(new RegExp(`(^|"|Z#)${id}(?=[:#])`, 'g'), '$1').replace(/\d+#ids$/, '');
  const add = ({ pk, sk, ...row }: Row) => {
    const counter = pk.includes('#count/') ? sk.replace(/#\d+$/, '') : undefined;
    const place = `${own(pk).replace(/^(DUE)#.*/, '$1')} ${counter ?? (pk.endsWith('#workspace') ? '' : own(sk))}`;
    const before: Record<string, unknown> = counter === undefined ? {} : (found.get(place) ?? {});
    const sums = Object.entries(row).map(([name, value]) => [name, Number(value) + Number(before[name] ?? 0)]);
    const next = counter === undefined ? JSON.parse(own(JSON.stringify(row))) : Object.fromEntries(sums);
    found.set(place, next);
  };
  for await (const row of rowsOfWorkspace(id)) add(row);
  const due = { ':due': duePrefix, ':live': `${id}:live`, ':test': `${id}:test` };
  for await (const row of scanned({
    FilterExpression: 'begins_with(pk, :due) AND #tenant IN (:live, :test)',
    ExpressionAttributeNames: { '#tenant': 'tenant' },
    ExpressionAttributeValues: due,
  }))
    add({ ...row, tenant: own(String(row['tenant'])) });
  return new Map([...found].filter(([, row]) => Object.values(row).some((value) => value !== 0)));
}

test('an import of the demo has the rows, index entries, timers, and sums of the exported workspace', () => {
  // Searches of a workspace without copies read its rows: the changes since are not needed.
  const leftOut = /^#key|^:(live|test)#(quota |request-log|[\w-]+\/change )/;
  const there = [...rows.origin.keys()].filter((place) => !leftOut.test(place));
  expect([...rows.copy.keys()].sort()).toEqual(there.sort());
  expect(there.filter((place) => place.startsWith('DUE')).length).toBeGreaterThan(2);
  const changed = there.filter((place) => !isDeepStrictEqual(rows.copy.get(place), rows.origin.get(place)));
  const kinds = [...new Set(changed.map((place) => place.replace(/^.*#/, '').replace(/ .*$/, '')))];
  // Secrets are gone, keys are not counted, members know of the import, and nobody publishes.
  const different = ['account', 'event-number', 'ids', 'member', 'revenue-source', 'webhook-registry', 'workspace'];
  expect(kinds.sort()).toEqual(different);
});

test('an import is exported and imported again with the same contents', async () => {
  const again = join(folder, 'again.ndjson');
  const third = await newId();
  const all = await exported(copy, again);
  expect({ ...all, auditEvents: 0 }).toEqual({ ...counts, auditEvents: 0, events: all['events'] });
  expect(await importWorkspace(third, again)).toEqual(all);
});
