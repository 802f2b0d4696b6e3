import { beforeAll, expect, test } from 'vitest';
import { hourMs } from '#lib/core/clock.ts';
import { between } from '#test/between.ts';
import { type Client, everyItem } from '#test/client.ts';
import { advance, settle } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace } from '#test/workspace.ts';
import { errorsOf, imported, uploadedSheet } from './importing.ts';

let live: Client;
beforeAll(async () => {
  live = (await newWorkspace()).live;
});

const people = { object: 'contacts', mapping: { Name: 'name', Mail: 'email' } };
const found = async (query: Record<string, string>) => (await live.get('/v1/contacts', query)).body.items;
const withInclude = async (id: number) =>
  (await live.get(`/v1/contacts/${id}`, { include: 'fields,addresses,companies,archive' })).body;

test('a file of contacts becomes contacts, and a row that fails is in the errors file', async () => {
  const fileId = await uploadedSheet(
    live,
    'Name,Mail,Words\nAda,ada@example.org,\n"=Grace",grace@example.org,\n,-no@example.org,"two\nlines"\n',
  );
  const { body } = await live.post('/v1/imports', { fileId, ...people }, 202);
  expect(body).toMatchObject({ status: 'queued', object: 'contacts', fileName: 'people.csv', total: null });
  await settle();
  const { body: ended } = await live.get(`/v1/imports/${body.id}`);
  expect(ended).toMatchObject({ status: 'completed', total: 3, processed: 3, created: 2, failed: 1, skipped: 0 });
  expect(await errorsOf(ended)).toBe(
    '\ufeffName,Mail,Words,error\r\n,\'-no@example.org,"two\nlines","at least one of name, username, phone is required"\r\n',
  );
  expect(await found({ email: 'grace@example.org' })).toMatchObject([{ name: '=Grace' }]);
  const { body: events } = await live.get('/v1/events', { eventKind: 'import.completed', since: 0 });
  const { processed, created, updated, skipped, failed, total } = ended;
  expect(events.items.at(-1)).toMatchObject({
    data: {
      import_id: String(body.id),
      object: 'contacts',
      counts: { total, processed, created, updated, skipped, failed },
    },
  });
});

test('an errors file is imported again, as it is or corrected', async () => {
  const first = await imported(live, 'Name,Mail\n,-nora@example.org\n', people);
  const errors = await errorsOf(first);
  const again = await imported(live, errors, people);
  expect(again).toMatchObject({ created: 0, failed: 1 });
  expect(await errorsOf(again)).toBe(errors);
  const corrected = errors.replace('\r\n,', '\r\nNora,');
  expect(await imported(live, corrected, people)).toMatchObject({ created: 1, failed: 0, errorsUrl: null });
  expect(await found({ email: '-nora@example.org' })).toMatchObject([{ name: 'Nora' }]);
});

test('a row skips, changes, or fails by the contact that matches', async () => {
  const { body: eve } = await live.post('/v1/contacts', { name: 'Eve', email: 'eve@example.org', notes: 'old' }, 201);
  const file = 'Name,Mail,Notes\nEva,EVE@example.org,\n';
  const input = { object: 'contacts', mapping: { Name: 'name', Mail: 'email', Notes: 'notes' }, matchOn: 'email' };
  expect(await imported(live, file, input)).toMatchObject({ skipped: 1, created: 0, updated: 0 });
  const failed = await imported(live, file, { ...input, onConflict: 'fail' });
  expect(failed).toMatchObject({ failed: 1 });
  expect(await errorsOf(failed)).toContain(`contact ${eve.id} has this email`);
  expect(await imported(live, file, { ...input, onConflict: 'update' })).toMatchObject({ updated: 1, failed: 0 });
  expect((await live.get(`/v1/contacts/${eve.id}`)).body).toMatchObject({ name: 'Eva', notes: 'old' });
});

test('a row sets custom fields, tags, metadata, addresses, companies, and the owner', async () => {
  for (const [slug, type, more] of [
    ['size', 'select', { options: [{ label: 'Small' }] }],
    ['topics', 'multi_select', { options: [{ label: 'Bread' }] }],
    ['budget', 'money', {}],
    ['vip', 'checkbox', {}],
  ] as const)
    await live.post('/v1/fields', { object: 'contact', slug, title: slug, type, ...more }, 201);
  const { body: members } = await live.get('/v1/members');
  const mapping = {
    First: 'name',
    Last: 'name',
    Mails: 'addresses',
    Firm: 'company',
    Tags: 'tags',
    Size: 'fields.size',
    Topics: 'fields.topics',
    Budget: 'fields.budget',
    VIP: 'fields.vip',
    Ref: 'metadata.ref',
    Owner: 'assignee',
  };
  const file = [
    'First;Last;Mails;Firm;Tags;Size;Topics;Budget;VIP;Ref;Owner',
    '"Lin";"Clark";"lin@clark.example;+49 30 901820";"Clark & Sons";"red;blue";"Large";"Bread;Cake";"12.50 USD";"yes";"x 1";"ann@example.com"',
    '"Lou";"Clark";"";"clark & sons";"Red";"small";"";"7";"0";"";""',
  ].join('\r\n');
  const refused = await imported(live, file, { object: 'contacts', mapping });
  expect(refused).toMatchObject({ failed: 2 });
  expect(await errorsOf(refused)).toContain('tags names a tag that is not there');
  const done = await imported(live, file, {
    object: 'contacts',
    mapping,
    createMissing: ['tags', 'options', 'companies'],
  });
  expect(done).toMatchObject({ created: 2, failed: 0 });
  const [lin] = await found({ q: 'Lin Clark' });
  const [lou] = await found({ q: 'Lou Clark' });
  expect(await withInclude(lin.id)).toMatchObject({
    name: 'Lin Clark',
    email: 'lin@clark.example',
    phone: '+49 30 901820',
    company: 'Clark & Sons',
    tags: [{ name: 'blue' }, { name: 'red' }],
    fields: { size: 'Large', topics: ['Bread', 'Cake'], budget: { amount: 12.5, currency: 'USD' }, vip: true },
    assignedToUserId: members.items[0].id,
  });
  expect((await live.get(`/v1/contacts/${lin.id}/metadata`)).body).toEqual({ metadata: { ref: 'x 1' } });
  expect(await withInclude(lou.id)).toMatchObject({
    company: 'Clark & Sons',
    tags: [{ name: 'red' }],
    fields: { size: 'Small', topics: null, budget: { amount: 7, currency: 'EUR' }, vip: false },
    assignedToUserId: null,
  });
  await live.post(`/v1/imports/${done.id}/undo`, {}, 202);
  await settle();
  expect((await live.get(`/v1/imports/${done.id}`)).body).toMatchObject({ status: 'undone', archived: 2 });
  const namesAt = async (path: string) =>
    (await live.get(path)).body.items.map(({ name }: { name: string }) => name).sort();
  expect(await namesAt('/v1/tags')).toEqual(['blue', 'red']);
  expect(await namesAt('/v1/companies')).toEqual(['Clark & Sons']);
  const { body: fields } = await live.get('/v1/fields', { object: 'contact' });
  expect(fields.items).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({
        slug: 'size',
        options: [expect.objectContaining({ label: 'Small' }), expect.objectContaining({ label: 'Large' })],
      }),
    ]),
  );
});

test('an undo archives what was created, gives old values back, and keeps what somebody has changed since', async () => {
  const { body: old } = await live.post('/v1/contacts', { name: 'Old', email: 'old@example.org', notes: 'first' }, 201);
  const mapping = { Name: 'name', Mail: 'email', Notes: 'notes', Tags: 'tags', Of: 'companies' };
  const file =
    'Name,Mail,Notes,Tags,Of\nNew,new@example.org,,,Both Ltd\nTouched,touched@example.org,,,Both Ltd\nOlder,old@example.org,second,old,\n';
  const done = await imported(live, file, {
    ...{ object: 'contacts', mapping, matchOn: 'email', onConflict: 'update', createMissing: ['tags', 'companies'] },
  });
  expect(done).toMatchObject({ created: 2, updated: 1 });
  const [fresh] = await found({ email: 'new@example.org' });
  const [touched] = await found({ email: 'touched@example.org' });
  await settle();
  await live.patch(`/v1/contacts/${touched.id}`, { name: 'Touched by Ann' }, 200);
  await live.patch(`/v1/contacts/${old.id}`, { notes: 'third' }, 200);
  const { body: latest } = await live.get('/v1/events', { since: 'latest' });
  const { body: undoing } = await live.post(`/v1/imports/${done.id}/undo`, {}, 202);
  expect(undoing.status).toBe('undoing');
  await settle();
  const { body: events } = await live.get('/v1/events', { since: latest.nextCursor });
  const { archived = [], updated = [] } = Object.groupBy(events.items as { event: string }[], ({ event }) =>
    event.replace('contact.', ''),
  );
  expect(events.items).toHaveLength(3);
  expect(archived).toMatchObject([{ data: { contact_id: String(fresh.id) } }]);
  expect(updated).toMatchObject([
    { data: { contact_id: String(old.id), changes: { tags: { from: ['old'], to: [] } } } },
    { data: { contact_id: String(old.id), changes: { name: { from: 'Older', to: 'Old' } } } },
  ]);
  expect((await live.get(`/v1/imports/${done.id}`)).body).toMatchObject({
    ...{ status: 'undone', archived: 1, restored: 1, kept: 2 },
  });
  expect((await withInclude(fresh.id)).archive).not.toBeNull();
  expect((await withInclude(touched.id)).archive).toBeNull();
  expect(await withInclude(old.id)).toMatchObject({ name: 'Old', notes: 'third', tags: [] });
  expect((await live.post(`/v1/imports/${done.id}/undo`, {}, 409)).body.details).toMatchObject(because('import_over'));
  expect((await live.post(`/v1/imports/${done.id}/cancel`, {}, 409)).body.details).toMatchObject(
    because('import_over'),
  );
});

test('a dry run counts, writes the errors, and changes nothing', async () => {
  const before = (await live.get('/v1/contacts', { limit: 1 })).body.items[0].id;
  const file = 'Name,Mail\nDry,dry@example.org\nTwice,dry@example.org\n,x@example.org\n';
  const done = await imported(live, file, { ...people, matchOn: 'email', dryRun: true });
  expect(done).toMatchObject({ status: 'completed', dryRun: true, created: 1, skipped: 1, failed: 1, undoUntil: null });
  expect(await errorsOf(done)).toContain('at least one of name');
  expect((await live.get('/v1/contacts', { limit: 1 })).body.items[0].id).toBe(before);
  const { body } = await live.post(`/v1/imports/${done.id}/undo`, {}, 409);
  expect(body.details).toMatchObject(because('import_not_undoable'));
});

test('a silent import leaves out the events of its records', async () => {
  const { body: latest } = await live.get('/v1/events', { since: 'latest' });
  await imported(live, 'Name,Mail\nQuiet,quiet@example.org\n', { ...people, silent: true });
  const { body } = await live.get('/v1/events', { since: latest.nextCursor });
  expect(body.items.map(({ event }: { event: string }) => event)).toEqual(['import.completed']);
});

test('imports of an environment run one after the other, and one that waits can be canceled', async () => {
  const inputs = ['one', 'two', 'three'].map((name) => `Name,Mail\n${name},${name}@example.org\n`);
  const ids: number[] = [];
  for (const text of inputs) {
    const fileId = await uploadedSheet(live, text);
    ids.push((await live.post('/v1/imports', { fileId, ...people }, 202)).body.id);
  }
  const { body: canceled } = await live.post(`/v1/imports/${ids[1]}/cancel`, {}, 200);
  expect(canceled).toMatchObject({ status: 'canceled', processed: 0 });
  await settle();
  const { body } = await live.get('/v1/imports', { limit: 3 });
  expect(body.items.map(({ status }: { status: string }) => status)).toEqual(['completed', 'canceled', 'completed']);
  expect(body.items[0].startedAt >= body.items[2].completedAt).toBe(true);
});

test('an import that runs is canceled: what is done stays, and is counted', async () => {
  const { live: own } = await newWorkspace();
  const count = 200;
  // The first two go one after the other: the second one is never taken in, and those behind it are.
  const lines = Array.from({ length: count }, (_, at) => `Person ${at},p${at}@example.org,${at < 2 ? 'shared' : ''}`);
  const fileId = await uploadedSheet(own, ['Name,Mail,Tags', ...lines].join('\n'));
  const mapping = { ...people.mapping, Tags: 'tags' };
  const { body: begun } = await own.post('/v1/imports', { ...people, fileId, mapping, createMissing: ['tags'] }, 202);
  const cancel = async () => {
    expect((await own.get(`/v1/imports/${begun.id}`)).body.status).toBe('running');
    const { body } = await own.post(`/v1/imports/${begun.id}/undo`, {}, 409);
    expect(body.details).toMatchObject(because('import_not_undoable'));
    expect((await own.post(`/v1/imports/${begun.id}/cancel`, {}, 200)).body.status).toBe('canceled');
  };
  let canceling: Promise<void> | undefined;
  await between(async ({ operation, input }, next) => {
    if (operation === 'TransactWriteItems' && JSON.stringify(input).includes('/row')) {
      canceling ??= cancel();
      await canceling;
    }
    return next();
  }, settle);
  const { body: ended } = await own.get(`/v1/imports/${begun.id}`);
  expect(ended).toMatchObject({
    ...{ status: 'canceled', total: count, created: ended.processed, failed: 0 },
    undoUntil: expect.any(String),
  });
  expect(ended.created).toBeGreaterThan(0);
  expect(ended.created).toBeLessThan(count);
  expect(await everyItem(own, '/v1/contacts')).toHaveLength(ended.created);
});

test('an import is undone for 24 hours', async () => {
  const late = await imported(live, 'Name,Mail\nLate,late@example.org\n', people);
  expect(Date.parse(late.undoUntil) - Date.parse(late.completedAt)).toBe(24 * hourMs);
  await advance(24 * hourMs);
  const { body } = await live.post(`/v1/imports/${late.id}/undo`, {}, 409);
  expect(body.details).toMatchObject(because('import_over'));
  expect(await found({ email: 'late@example.org' })).toHaveLength(1);
});
