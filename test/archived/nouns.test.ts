import { beforeAll, describe, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { entities } from '#lib/entities/all.ts';
import type { Entity } from '#lib/table/entity.ts';
import document from '#openapi' with { type: 'json' };
import { between } from '#test/between.ts';
import { everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let tagId: number;
let companyId: number;
let contactId: number;
let dealId: number;

beforeAll(async () => {
  workspace = await newWorkspace();
  const { live } = workspace;
  tagId = (await live.post('/v1/tags', { name: 'VIP' }, 201)).body.id;
  companyId = (await live.post('/v1/companies', { name: 'Other' }, 201)).body.id;
  contactId = (await live.post('/v1/contacts', { name: 'Other' }, 201)).body.id;
  dealId = (await live.post('/v1/deals', { title: 'Other' }, 201)).body.id;
  for (const object of ['contact', 'company', 'deal', 'task'])
    await live.post('/v1/fields', { object, slug: 'code', title: 'Code', type: 'text', isUnique: true }, 201);
});

const nouns = [
  { noun: 'contact', path: '/v1/contacts', least: { name: 'Ada Lovelace' } },
  { noun: 'company', path: '/v1/companies', least: { name: 'Ada Lovelace Ltd' } },
  { noun: 'deal', path: '/v1/deals', least: { title: 'Ada Lovelace buys', value: 10 } },
  { noun: 'task', path: '/v1/tasks', least: { title: 'Call Ada Lovelace' } },
] as const;

const make = async (path: string, body: object): Promise<number> =>
  (await workspace.live.post(path, body, 201)).body.id;
const archive = (path: string, id: number) => workspace.live.post(`${path}/${id}/archive`, {}, 200);
const restore = (path: string, id: number, status = 200) => workspace.live.post(`${path}/${id}/restore`, {}, status);
const idsIn = async (path: string, query: Record<string, string | number> = {}) =>
  (await everyItem(workspace.live, path, query)).map(({ id }) => id as number);

test('an entity is archivable if a noun can be archived', () => {
  const archivable = (entities as readonly Entity[]).filter(({ isArchivable }) => isArchivable).map(({ name }) => name);
  expect(archivable.sort()).toEqual(nouns.map(({ noun }) => noun).sort());
});

describe.each(nouns)('a $noun', ({ noun, path, least }) => {
  test('is left out of lists while it is archived, and answers by its id', async () => {
    const id = await make(path, least);
    const shown = (await workspace.live.get(`${path}/${id}`, {}, 200)).body;
    const { body } = await archive(path, id);
    expect({ ...body, updatedAt: null }).toEqual({ ...shown, updatedAt: null });
    expect(await idsIn(path)).not.toContain(id);
    expect(await idsIn(path, { archived: 'false', ids: String(id) })).toEqual([]);
    expect(await idsIn(path, { archived: 'true' })).toContain(id);
    expect(await idsIn(path, { archived: 'true', ids: String(id) })).toEqual([id]);
    expect(await idsIn(path, { archived: 'all' })).toContain(id);
    const { archive: told } = (await workspace.live.get(`${path}/${id}`, { include: 'archive' }, 200)).body;
    expect(told).toEqual({
      archivedAt: expect.any(String),
      archivedBy: { type: 'api_key', id: expect.any(String) },
    });
    const restored = await workspace.live.post(`${path}/${id}/restore?include=archive`, {}, 200);
    expect(restored.body.archive).toBeNull();
    expect(await idsIn(path)).toContain(id);
    expect(await idsIn(path, { archived: 'true' })).not.toContain(id);
  });

  test('is found by a search only when that asks for archived ones', async () => {
    const word = `needle${noun}`;
    const id = await make(path, noun === 'contact' || noun === 'company' ? { name: word } : { title: word });
    const found = async (body: object) =>
      (await workspace.live.post(`${path}/search`, { q: word, ...body }, 200)).body.items.map(
        (one: { id: number }) => one.id,
      );
    const anywhere = async () => (await workspace.live.get('/v1/search', { q: word }, 200)).body.items.length;
    expect([await found({}), await anywhere()]).toEqual([[id], 1]);
    await archive(path, id);
    expect([await found({}), await anywhere()]).toEqual([[], 0]);
    expect([await found({ archived: true }), await found({ archived: 'all' })]).toEqual([[id], [id]]);
  });

  test('is archived and restored once, whatever is repeated', async () => {
    const id = await make(path, least);
    const [first, second] = [await archive(path, id), await archive(path, id)];
    expect(second.body).toEqual(first.body);
    const [third, fourth] = [await restore(path, id), await restore(path, id)];
    expect(fourth.body).toEqual(third.body);
    const events = await eventsAbout(workspace.id, `${noun}/${id}`, 3);
    expect(events.map(({ event }) => event)).toEqual([`${noun}.created`, `${noun}.archived`, `${noun}.restored`]);
    expect(events[1]?.data).toEqual({ [`${noun}_id`]: String(id), actor: { type: 'api_key', id: expect.any(String) } });
  });

  test('takes If-Match at its restore', async () => {
    const id = await make(path, least);
    await archive(path, id);
    const { headers } = await workspace.live.get(`${path}/${id}`, {}, 200);
    await workspace.live.post(`${path}/${id}/restore`, {}, 412, { 'if-match': '"other"' });
    await workspace.live.post(`${path}/${id}/restore`, {}, 200, { 'if-match': String(headers['etag']) });
  });

  test('needs the write scope of its noun', async () => {
    const id = await make(path, least);
    const { client } = await workspace.mint({
      scopes: ['contacts:read', 'companies:read', 'deals:read', 'tasks:read'],
    });
    for (const verb of ['archive', 'restore']) await client.post(`${path}/${id}/${verb}`, {}, 403);
  });

  test('gives its unique value away while it is archived', async () => {
    const code = `code-${noun}`;
    const id = await make(path, { ...least, fields: { code } });
    await archive(path, id);
    const other = await make(path, { ...least, fields: { code } });
    const { body } = await restore(path, id, 409);
    expect(body.details).toMatchObject({ reason: 'field_value_taken', field: 'code', id: other });
    await workspace.live.patch(`${path}/${other}/fields`, { fields: { code: null } }, 200);
    await restore(path, id);
    const again = await workspace.live.post(path, { ...least, fields: { code } }, 409);
    expect(again.body.details).toMatchObject({ reason: 'field_value_taken', id });
  });

  test('pages together with those that are not archived', async () => {
    const ids: number[] = [];
    for (let index = 0; index < 7; index += 1) {
      ids.push(await make(path, { ...least, metadata: { batch: noun } }));
      if (index % 2 === 0) await archive(path, ids[index] as number);
    }
    const all = await idsIn(path, { 'metadata.batch': noun, archived: 'all', limit: 2 });
    expect(all).toEqual(ids.toReversed());
    const archived = await idsIn(path, { 'metadata.batch': noun, archived: 'true', limit: 2 });
    expect(archived).toEqual(ids.filter((_, index) => index % 2 === 0).toReversed());
  });
});

test.each<[string, object, Record<string, string | number> | (() => Record<string, string | number>)]>([
  ['/v1/contacts', { name: 'Zuse', email: 'zuse@example.com' }, { email: 'zuse@example.com' }],
  ['/v1/contacts', { name: 'Konrad Zuse' }, { q: 'zuse konrad' }],
  ['/v1/contacts', { name: 'Zuse', stage: 'qualified' }, { stage: 'qualified' }],
  ['/v1/contacts', { name: 'Zuse', tags: ['VIP'] }, () => ({ tagId })],
  ['/v1/companies', { name: 'Zuse KG', domains: ['zuse.de'] }, { domain: 'zuse.de' }],
  ['/v1/companies', { name: 'Zuse Apparatebau' }, { q: 'apparatebau' }],
  ['/v1/deals', { title: 'Z3', value: 71, currency: 'USD' }, { currency: 'USD', minValue: 70 }],
  ['/v1/deals', { title: 'Z3', stage: 'proposal' }, { stage: 'proposal' }],
  ['/v1/tasks', { title: 'Build the Z3', status: 'done' }, { status: 'done' }],
  ['/v1/tasks', { title: 'Build the Z3', dueAt: '2020-01-01T00:00:00Z' }, { overdue: 'true' }],
])('archived entries of %s are found by their filters (case %#)', async (path, body, given) => {
  const query = typeof given === 'function' ? given() : given;
  const id = await make(path, body);
  expect(await idsIn(path, query)).toContain(id);
  await archive(path, id);
  expect(await idsIn(path, query)).not.toContain(id);
  expect(await idsIn(path, { ...query, archived: 'true' })).toContain(id);
  expect(await idsIn(path, { ...query, archived: 'all' })).toContain(id);
});

test.each([
  ['deals', 'contactId'],
  ['deals', 'companyId'],
  ['tasks', 'contactId'],
  ['tasks', 'dealId'],
])('archived %s are found by %s', async (noun, field) => {
  const named = { contactId, companyId, dealId }[field] as number;
  const path = `/v1/${noun}`;
  const id = await make(path, { title: 'Named', [field]: named });
  await archive(path, id);
  expect(await idsIn(path, { [field]: named })).not.toContain(id);
  expect(await idsIn(path, { [field]: named, archived: 'true' })).toContain(id);
});

/** Operations that an archived record takes. */
const exceptions = ['archive', 'restore', 'erasure'];
const isWrite = ({ method, path }: { method: string; path: string }) =>
  method !== 'GET' &&
  /^\/v1\/(contacts|companies|deals|tasks)\/\{id\}/.test(path) &&
  !exceptions.some((verb) => path.endsWith(`/${verb}`));
const writes = (await loadRoutes()).map(({ route }) => route).filter(isWrite);

interface Documented {
  requestBody?: { content: Record<string, { example?: unknown }> };
}
const exampleOf = (method: string, path: string): unknown => {
  const paths = document.paths as unknown as Record<string, Record<string, Documented>>;
  return paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.example ?? {};
};

test('there are writes of archived records to refuse', () => expect(writes.length).toBeGreaterThan(25));

test.each(writes.map(({ method, path }) => [method, path] as const))(
  '%s %s is refused when the record is archived',
  async (method, path) => {
    const { path: list, least } = nouns.find((noun) => path.startsWith(`${noun.path}/`)) as (typeof nouns)[number];
    const id = await make(list, least);
    await archive(list, id);
    const example = exampleOf(method, path) as object;
    const references = {
      ...('sourceContactId' in example && { sourceContactId: contactId }),
      ...('sourceCompanyId' in example && { sourceCompanyId: companyId }),
    };
    const target = path.replace('{id}', String(id)).replaceAll(/\{\w+\}/g, '1');
    const { status, body } = await workspace.live.call(method, target, { body: { ...example, ...references } });
    expect([status, body.details?.reason]).toEqual([409, 'archived']);
  },
);

test.each<[string, object, (id: number) => object]>([
  ['contacts', { name: 'Item' }, (id) => ({ op: 'update', id, name: 'Other' })],
  ['contacts', { name: 'Item' }, (id) => ({ op: 'addTag', id, tagName: 'VIP' })],
  ['companies', { name: 'Item' }, (id) => ({ op: 'update', id, name: 'Other' })],
  ['deals', { title: 'Item' }, (id) => ({ op: 'update', id, title: 'Other' })],
  ['tasks', { title: 'Item' }, (id) => ({ op: 'update', id, title: 'Other' })],
])('an item of a batch of %s is refused when its record is archived', async (noun, least, item) => {
  const id = await make(`/v1/${noun}`, least);
  await archive(`/v1/${noun}`, id);
  for (const atomic of [false, true]) {
    const { body } = await workspace.live.post(`/v1/${noun}/batch`, { items: [item(id)], atomic });
    const [result] = atomic ? body.details.results : body.results;
    expect(result).toMatchObject({ status: 409, error: { details: { reason: 'archived' } } });
  }
});

/** Returns how many rows the work writes. */
async function rowsWrittenBy(work: () => Promise<unknown>): Promise<number> {
  let rows = 0;
  await between(async ({ operation, input }, next) => {
    if (operation === 'TransactWriteItems') rows += (input as { TransactItems: unknown[] }).TransactItems.length;
    else if (/Put|Update|Delete/.test(operation)) rows += 1;
    return next();
  }, work);
  return rows;
}

test('an archive of a contact costs no more than the removal of its entries', async () => {
  const id = await make('/v1/contacts', {
    ...{ name: 'Ada', email: 'ada.cost@example.com', phone: '+44 20 7946 0018', username: 'ada_cost' },
    tags: ['VIP', 'Cost'],
  });
  const rows = await rowsWrittenBy(() => archive('/v1/contacts', id));
  expect(rows).toBeLessThanOrEqual(16);
});
