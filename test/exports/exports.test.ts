import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, test } from 'vitest';
import { exportObjects } from '#lib/core/choices.ts';
import { dayMs, minuteMs } from '#lib/core/clock.ts';
import type { scopes } from '#lib/core/scopes.ts';
import { type Answer, type Client, everyItem } from '#test/client.ts';
import { advance } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { ended, exported, linesOf, rowsOf } from './exporting.ts';

let workspace: TestWorkspace;
let live: Client;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
});

const post = async (path: string, body: object, status = 201) => (await live.post(path, body, status)).body;
const withScopes = async (...some: (typeof scopes)[number][]) => (await workspace.mint({ scopes: some })).client;

describe('one record of each kind', () => {
  let contact: Answer['body'];
  let company: Answer['body'];
  let deal: Answer['body'];
  let task: Answer['body'];

  beforeAll(async () => {
    const types = {
      ...{ nick: 'text', size: 'number', budget: 'money', is_partner: 'checkbox', since: 'date', met_at: 'datetime' },
      ...{ color: 'select', colors: 'multi_select', referrer: 'contact' },
    };
    for (const object of ['contact', 'company', 'deal', 'task'])
      for (const [slug, type] of Object.entries(types))
        await post('/v1/fields', {
          ...{ object, slug, title: slug, type },
          ...(type.endsWith('select') && { options: [{ label: 'Red; warm' }, { label: String.raw`Bl\ue` }] }),
        });
    const gone = await post('/v1/fields', { object: 'contact', slug: 'gone', title: 'Gone', type: 'text' });
    await post(`/v1/fields/${gone.id}/archive`, {}, 200);
    company = await post('/v1/companies', { name: 'Acme; Sons', domains: ['acme-sons.com', 'acme-sons.org'] });
    const grace = await post('/v1/contacts', { name: 'Grace', tags: ['vip', 'a;b'] });
    const fields = {
      ...{ nick: '=1+1', size: -12.5, budget: { amount: 1200.5, currency: 'EUR' }, is_partner: false },
      ...{ since: '2024-02-29', met_at: '2026-11-20T23:17:47Z', color: 'Red; warm' },
      ...{ colors: [String.raw`Bl\ue`, 'Red; warm'], referrer: grace.id },
    };
    const metadata = { source: 'fair', constructor: 'x' };
    contact = await post('/v1/contacts', {
      ...{ name: '=HYPERLINK("http://evil")', email: 'ada@acme-sons.com', phone: '+49 170 1234567', leadScore: 42 },
      ...{ notes: 'two\nlines', tags: ['vip', 'a;b'], metadata, fields },
    });
    await live.post(`/v1/contacts/${contact.id}/addresses`, { kind: 'email', value: 'ada@home.example' }, 201);
    deal = await post('/v1/deals', { title: '-5 % for Ada', value: 99.5, contactId: contact.id, metadata, fields });
    task = await post('/v1/tasks', { title: '@Ada', contactId: contact.id, dueAt: '2026-01-01', fields });
    await post(`/v1/contacts/${contact.id}/activities`, { text: '+ a note of Ada' });
    await post(`/v1/companies/${company.id}/activities`, { text: 'a note of Acme' });
    await post('/v1/finance/transactions', { type: 'income', amount: 5, currency: 'EUR', contactId: contact.id });
  });

  const shownOf = async (object: string, id: number, include: string) => {
    const { body } = await live.get(`/v1/${object}/${id}`, { include }, 200);
    const { body: more } = await live.get(`/v1/${object}/${id}/metadata`, {}, 200);
    const { tasks: _, ...shown } = body;
    return { ...shown, metadata: more.metadata };
  };

  test('NDJSON holds each as the API shows it, newest first', async () => {
    const contacts = linesOf((await exported(live, { object: 'contacts', format: 'ndjson' })).bytes);
    expect(contacts.map(({ name }) => name)).toEqual(['=HYPERLINK("http://evil")', 'Grace']);
    const all = 'updatedAt,fields,companies,addresses,archive';
    expect(contacts[0]).toEqual(await shownOf('contacts', contact.id, all));
    const [deals, tasks, companies] = await Promise.all(
      ['deals', 'tasks', 'companies'].map(async (object) =>
        linesOf((await exported(live, { object, format: 'ndjson' })).bytes),
      ),
    );
    expect(deals).toEqual([await shownOf('deals', deal.id, 'fields,company,owner,pipeline,archive')]);
    expect(tasks).toEqual([await shownOf('tasks', task.id, 'fields,archive')]);
    expect(companies).toEqual([await shownOf('companies', company.id, 'fields,archive')]);
  });

  test('CSV has a byte-order mark, the names of the API, and cells that no spreadsheet runs', async () => {
    const { bytes, headers, export: found } = await exported(live, { object: 'contacts', format: 'csv' });
    expect(bytes.subarray(0, 6).toString()).toBe('\uFEFFid,');
    expect(bytes.toString()).toContain('\r\n');
    expect(bytes.toString()).toContain('"two\nlines"');
    const [row] = rowsOf(bytes);
    expect(row).toMatchObject({
      ...{
        id: String(contact.id),
        name: `'=HYPERLINK("http://evil")`,
        phone: "'+49 170 1234567",
        email: contact.email,
      },
      ...{ addresses: 'ada@acme-sons.com;+49 170 1234567;ada@home.example', notes: 'two\nlines' },
      ...{ company: 'Acme; Sons', companies: String.raw`Acme\; Sons`, companyId: String(company.id) },
      ...{ tags: String.raw`a\;b;vip`, leadScore: '42', leadScoreIsAi: 'false', archivedAt: '' },
      ...{ metadata: expect.stringContaining('"constructor":"x"'), 'fields.nick': "'=1+1", 'fields.size': '-12.5' },
      ...{ 'fields.budget': '1200.50 EUR', 'fields.is_partner': 'false', 'fields.since': '2024-02-29' },
      ...{ 'fields.met_at': '2026-11-20T23:17:47Z', 'fields.color': 'Red; warm' },
      ...{ 'fields.colors': String.raw`Bl\\ue;Red\; warm`, 'fields.referrer': String(contact.id - 1) },
    });
    expect(Object.keys(row ?? {})).not.toContain('fields.gone');
    expect(headers.get('content-type')).toBe('text/csv');
    expect(headers.get('content-disposition')).toContain(`filename="contacts-${found.createdAt.slice(0, 10)}.csv"`);
    expect(found).toMatchObject({ object: 'contacts', format: 'csv', rows: 2 });
  });

  test('Parquet has typed columns, also for names with a dot', async () => {
    const { bytes, headers } = await exported(live, { object: 'contacts', format: 'parquet' });
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    const [row] = await parquetReadObjects({ file });
    expect(row).toMatchObject({
      ...{ id: BigInt(contact.id), name: contact.name, phone: contact.phone, createdAt: new Date(contact.createdAt) },
      ...{ tags: ['a;b', 'vip'], companyId: [BigInt(company.id)], hasUnreadMessages: false, archivedAt: null },
      ...{ metadata: { source: 'fair', constructor: 'x' }, 'fields.size': -12.5, 'fields.nick': '=1+1' },
      ...{ 'fields.budget': { amount: 1200.5, currency: 'EUR' }, 'fields.since': new Date('2024-02-29') },
      ...{ 'fields.colors': [String.raw`Bl\ue`, 'Red; warm'] },
    });
    expect(headers.get('content-type')).toBe('application/vnd.apache.parquet');
  });

  test('columns are those that are named, in their order', async () => {
    const columns = ['email', 'fields.size', 'metadata.constructor', 'metadata.none', 'id'];
    const csv = await exported(live, { object: 'contacts', format: 'csv', columns });
    expect(csv.bytes.toString().split('\r\n').slice(0, 2)).toEqual([
      `\uFEFF${columns.join()}`,
      `ada@acme-sons.com,-12.5,x,,${contact.id}`,
    ]);
    const ndjson = await exported(live, { object: 'contacts', format: 'ndjson', columns });
    expect(linesOf(ndjson.bytes)[0]).toEqual({
      ...{ email: 'ada@acme-sons.com', fields: { size: -12.5 }, metadata: { constructor: 'x', none: null } },
      id: contact.id,
    });
  });

  test('notes of contacts and of companies are in one file, those of companies with their scope', async () => {
    const notes = linesOf((await exported(live, { object: 'notes', format: 'ndjson' })).bytes);
    expect(notes).toEqual([
      expect.objectContaining({
        contactId: contact.id,
        companyId: null,
        text: '+ a note of Ada',
        actorType: 'api_key',
      }),
      expect.objectContaining({
        contactId: null,
        companyId: company.id,
        company: 'Acme; Sons',
        text: 'a note of Acme',
      }),
    ]);
    const few = await withScopes('exports:run', 'contacts:read');
    const { export: found, bytes } = await exported(few, { object: 'notes', format: 'csv' });
    expect([found.rows, rowsOf(bytes).map(({ text }) => text)]).toEqual([1, ["'+ a note of Ada"]]);
  });

  test.each([
    ['transactions', '/v1/finance/transactions'],
    ['invoices', '/v1/finance/invoices'],
    ['messages', '/v1/messages'],
    ['events', '/v1/events'],
  ])('%s are those of the list', async (object, path) => {
    const lines = linesOf((await exported(live, { object, format: 'ndjson' })).bytes);
    const items =
      object === 'events' ? (await live.get(path, { limit: 100 }, 200)).body.items : await everyItem(live, path);
    expect(lines.slice(0, items.length)).toEqual(items.slice(0, lines.length));
    for (const format of ['csv', 'parquet'])
      expect((await exported(live, { object, format })).export.rows).toBeGreaterThanOrEqual(lines.length);
  });
});

describe('which records', () => {
  let own: TestWorkspace;
  let client: Client;
  let ids: number[];

  beforeAll(async () => {
    own = await newWorkspace();
    client = own.live;
    ids = [];
    for (const [name, stage] of [
      ['Ada', 'new'],
      ['Grace', 'customer'],
      ['Alan', 'customer'],
    ])
      ids.push((await client.post('/v1/contacts', { name, stage }, 201)).body.id);
    await client.post(`/v1/contacts/${ids[2]}/archive`, {}, 200);
    await client.post('/v1/finance/transactions', { type: 'income', amount: 5, currency: 'EUR' }, 201);
    await client.post('/v1/finance/transactions', { type: 'expense', amount: 7, currency: 'EUR' }, 201);
  });

  const namesOf = async (body: object) =>
    linesOf((await exported(client, { object: 'contacts', format: 'ndjson', ...body })).bytes).map(({ name }) => name);

  test('archived ones are left out, alone, or there as well', async () => {
    expect(await namesOf({})).toEqual(['Grace', 'Ada']);
    expect(await namesOf({ archived: true })).toEqual(['Alan']);
    expect(await namesOf({ archived: 'all' })).toEqual(['Alan', 'Grace', 'Ada']);
  });

  test('a filter and the filter of a view must both hold', async () => {
    const filter = { field: 'stage', op: 'eq', value: 'customer' };
    expect(await namesOf({ filter })).toEqual(['Grace']);
    const view = (await client.post('/v1/views', { object: 'contact', name: 'Customers', filter }, 201)).body;
    expect(await namesOf({ viewId: view.id, archived: 'all' })).toEqual(['Alan', 'Grace']);
    const more = { field: 'name', op: 'startsWith', value: 'g' };
    expect(await namesOf({ viewId: view.id, archived: 'all', filter: more })).toEqual(['Grace']);
  });

  test('q asks for its words as a search does', async () => {
    expect(await namesOf({ q: 'GRA' })).toEqual(['Grace']);
    expect(await namesOf({ q: 'gra zzz' })).toEqual([]);
    const { body } = await client.post('/v1/exports', { object: 'events', format: 'csv', q: 'x' }, 400);
    expect(body.details.fields[0]).toMatchObject({ field: 'q', code: 'not_allowed' });
  });

  test('a filter of transactions asks their own fields', async () => {
    const amounts = async (filter: object) =>
      linesOf((await exported(client, { object: 'transactions', format: 'ndjson', filter })).bytes).map(
        ({ amount }) => amount,
      );
    expect(await amounts({ field: 'amount', op: 'gt', value: 5 })).toEqual([7]);
    expect(await amounts({ field: 'type', op: 'eq', value: 'income' })).toEqual([5]);
  });

  test('none is an empty file', async () => {
    const filter = { field: 'name', op: 'eq', value: 'nobody' };
    for (const format of ['csv', 'ndjson', 'parquet']) {
      const { export: found } = await exported(client, { object: 'contacts', format, filter });
      expect(found.rows).toBe(0);
    }
  });

  const refusal = async (body: object) => {
    const answer = await client.post('/v1/exports', { object: 'contacts', format: 'csv', ...body }, 400);
    return answer.body.details.fields.map(({ field, code }: { field: string; code: string }) => [field, code]);
  };

  test('an export refuses what a search refuses, at the same place', async () => {
    const unknown = {
      and: [
        { field: 'name', op: 'isSet' },
        { field: 'shoe', op: 'isSet' },
      ],
    };
    expect(await refusal({ filter: unknown })).toEqual([['filter.and[1].field', 'unknown_reference']]);
    expect(await refusal({ filter: { field: 'stage', op: 'eq', value: 'big' } })).toEqual([
      ['filter.value', 'invalid_enum'],
    ]);
    expect(await refusal({ viewId: 999 })).toEqual([['viewId', 'unknown_reference']]);
    expect(await refusal({ object: 'messages', filter: { field: 'fields.x', op: 'isSet' } })).toEqual([
      ['filter.field', 'unknown_reference'],
    ]);
    expect(await refusal({ object: 'messages', viewId: 1 })).toEqual([['viewId', 'not_allowed']]);
    expect(await refusal({ object: 'events', archived: true })).toEqual([['archived', 'not_allowed']]);
    expect(await refusal({ object: 'people' })).toEqual([['object', 'invalid_enum']]);
    expect(await refusal({ format: 'xlsx' })).toEqual([['format', 'invalid_enum']]);
  });

  test('unknown columns are refused by their place', async () => {
    expect(await refusal({ columns: ['name', 'shoe', 'fields.none', 'name', 'metadata.'] })).toEqual([
      ['columns[1]', 'unknown_reference'],
      ['columns[2]', 'unknown_reference'],
      ['columns[3]', 'not_allowed'],
      ['columns[4]', 'unknown_reference'],
    ]);
    expect(await refusal({ object: 'invoices', columns: ['metadata.x'] })).toEqual([
      ['columns[0]', 'unknown_reference'],
    ]);
  });

  test('a view of another workspace is none', async () => {
    const { body } = await live.post('/v1/views', { object: 'contact', name: 'Theirs', isShared: true }, 201);
    for (let id = 1; id <= body.id + 1; id += 1) {
      const answer = await workspace.test.post('/v1/exports', { object: 'contacts', format: 'csv', viewId: id });
      expect(answer.status).toBe(400);
    }
  });
});

describe('whose it is', () => {
  test('each object needs exports:run and its read scope', async () => {
    const [none, read, run] = await Promise.all([
      withScopes('contacts:read', 'companies:read', 'deals:read', 'tasks:read', 'finance:read', 'webhooks:read'),
      withScopes('exports:run', 'deals:read'),
      withScopes('exports:run'),
    ]);
    for (const object of exportObjects) {
      const body = { object, format: 'csv' };
      expect([object, (await none.post('/v1/exports', body)).status]).toEqual([object, 403]);
      expect([object, (await run.post('/v1/exports', body)).status]).toEqual([object, 403]);
      expect([object, (await read.post('/v1/exports', body)).status]).toEqual([object, object === 'deals' ? 202 : 403]);
    }
  });

  test('a file is for those who could have made it', async () => {
    const { export: found } = await exported(live, { object: 'notes', format: 'csv' });
    const path = `/v1/exports/${found.id}`;
    const listed = async (client: Client) => (await everyItem(client, '/v1/exports')).some(({ id }) => id === found.id);
    const [peer, few] = await Promise.all([
      withScopes('exports:run', 'contacts:read', 'companies:read'),
      withScopes('exports:run', 'contacts:read'),
    ]);
    expect([(await peer.get(path)).status, await listed(peer)]).toEqual([200, true]);
    expect([(await few.get(path)).status, await listed(few)]).toEqual([403, false]);
    const stranger = await newWorkspace();
    for (const client of [stranger.live, workspace.test])
      expect([(await client.get(path)).status, await listed(client)]).toEqual([404, false]);
  });
});

test('the event says which export is complete, and how many rows it has', async () => {
  const { export: found } = await exported(live, { object: 'contacts', format: 'ndjson' });
  const { items } = (await live.get('/v1/events', { eventKind: 'export.completed', limit: 100 }, 200)).body;
  expect(
    items
      .map(({ data }: Answer['body']) => data)
      .filter(({ export_id }: Answer['body']) => export_id === String(found.id)),
  ).toEqual([{ export_id: String(found.id), object: 'contacts', rows: found.rows }]);
});

test('a file can be downloaded for a day, and has another address each time', async () => {
  const { export: found } = await exported(live, { object: 'tasks', format: 'csv' });
  expect(Date.parse(found.expiresAt) - Date.parse(found.completedAt)).toBe(dayMs);
  await advance(6 * minuteMs);
  const again = (await live.get(`/v1/exports/${found.id}`, {}, 200)).body;
  expect([again.url === found.url, again.expiresAt]).toEqual([false, found.expiresAt]);
  await advance(dayMs);
  expect((await live.get(`/v1/exports/${found.id}`, {}, 200)).body).toMatchObject({ status: 'completed', url: null });
});

test('several exports of an environment are written one after the other', async () => {
  const begun = [];
  for (let count = 0; count < 4; count += 1)
    begun.push((await live.post('/v1/exports', { object: 'contacts', format: 'csv' }, 202)).body.id);
  const all = [];
  for (const id of begun) all.push(await ended(live, id));
  expect(all.map(({ status }) => status)).toEqual(begun.map(() => 'completed'));
});
