import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, everyItem } from '#test/client.ts';
import { advance, settle } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace } from '#test/workspace.ts';
import { errorsOf, imported, uploadedSheet } from './importing.ts';

let live: Client;
beforeAll(async () => {
  live = (await newWorkspace()).live;
});

const undone = async ({ id }: { id: number }) => {
  await live.post(`/v1/imports/${id}/undo`, {}, 202);
  await settle();
  return (await live.get(`/v1/imports/${id}`)).body;
};

test('companies, deals, tasks, and notes come from files, name each other, and are undone', async () => {
  const companies = await imported(
    live,
    'name,domains,assignee\nAcme,acme.example;acme.org,ann@example.com\nAcme,acme.com,\n',
    {
      ...{ object: 'companies', mapping: { name: 'name', domains: 'domains', assignee: 'assignee' } },
    },
  );
  expect(companies).toMatchObject({ created: 1, failed: 1 });
  expect(await errorsOf(companies)).toContain('acme.example');
  const { body: kim } = await live.post('/v1/contacts', { name: 'Kim', email: 'kim@example.org' }, 201);
  const deals = await imported(
    live,
    'title,who,firm,value,stage,why\nBig,kim@example.org,Acme,1200.50 USD,proposal,\nGone,@nobody,,5,lead,\nLost one,kim@example.org,acme.com,5,lost,too dear\n',
    {
      object: 'deals',
      mapping: { title: 'title', who: 'contact', firm: 'company', value: 'value', stage: 'stage', why: 'lostReason' },
    },
  );
  expect(deals).toMatchObject({ created: 2, failed: 1 });
  const { body: found } = await live.get('/v1/deals', { include: 'company,pipeline' });
  expect(found.items).toMatchObject([
    {
      title: 'Lost one',
      stage: 'Lost',
      contactId: kim.id,
      pipeline: { lostReason: 'too dear' },
      company: { name: 'Acme' },
    },
    { title: 'Big', value: 1200.5, currency: 'USD', stage: 'Proposal', company: { name: 'Acme' } },
  ]);
  await advance(1000);
  const tasks = await imported(
    live,
    'title;deal;contact;due;owner\nCall;big;kim@example.org;2027-01-05;ann@example.com\n',
    {
      object: 'tasks',
      mapping: { title: 'title', deal: 'deal', contact: 'contact', due: 'dueAt', owner: 'assignee' },
    },
  );
  expect(tasks).toMatchObject({ created: 1, failed: 0 });
  expect((await live.get('/v1/tasks')).body.items).toMatchObject([
    { title: 'Call', dealId: found.items[1].id, contactId: kim.id, dueAt: '2027-01-05T00:00:00Z' },
  ]);
  const notes = await imported(
    live,
    'note,at,contact,company,deal\nHello,2020-01-02,kim@example.org,,\nFirm,,,Acme,\nOn the deal,2021-02-03,kim@example.org,,Big\nNowhere,,,,\n',
    {
      object: 'notes',
      mapping: { note: 'text', at: 'createdAt', contact: 'contact', company: 'company', deal: 'deal' },
    },
  );
  expect(notes).toMatchObject({ created: 3, failed: 1 });
  const timeline = (await live.get(`/v1/contacts/${kim.id}/activities`, { type: 'Note' })).body.items;
  expect(timeline).toMatchObject([{ text: 'Hello', createdAt: '2020-01-02T00:00:00Z' }]);
  expect((await live.get(`/v1/deals/${found.items[1].id}`)).body.notes).toBe('2021-02-03: On the deal');
  expect(await undone(notes)).toMatchObject({ status: 'undone', archived: 2, restored: 1, kept: 0 });
  expect((await live.get(`/v1/contacts/${kim.id}/activities`, { type: 'Note' })).body.items).toEqual([]);
  expect((await live.get(`/v1/deals/${found.items[1].id}`)).body.notes).toBeNull();
  for (const one of [tasks, companies])
    expect(await undone(one)).toMatchObject({ status: 'undone', archived: one.created, kept: 0 });
  // The notes have changed the other deal since.
  expect(await undone(deals)).toMatchObject({ status: 'undone', archived: 1, kept: 1 });
  for (const noun of ['companies', 'tasks']) expect(await everyItem(live, `/v1/${noun}`)).toEqual([]);
  expect(await everyItem(live, '/v1/deals')).toMatchObject([{ title: 'Big' }]);
});

test('a row finds its record behind others that take more than one read', async () => {
  const { live: own } = await newWorkspace();
  const { body: kim } = await own.post('/v1/contacts', { name: 'Kim' }, 201);
  const long = Object.fromEntries(Array.from({ length: 18 }, (_, at) => [`long${at}`, 'x'.repeat(500)]));
  const lines = Array.from({ length: 130 }, (_, at) =>
    JSON.stringify({ title: `D${at}`, contactId: kim.id, metadata: { ref: String(at), ...long } }),
  );
  const all = { title: 'title', contactId: 'contactId', metadata: 'metadata' };
  const made = await imported(own, lines.join('\n'), { object: 'deals', mapping: all });
  expect(made).toMatchObject({ created: 130 });
  vi.stubEnv('READ_UNITS_PER_LIST', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const mapping = { title: 'title', ref: 'metadata.ref', who: 'contactId' };
  const deals = { object: 'deals', mapping, matchOn: 'metadata.ref' };
  expect(await imported(own, `title,ref,who\nNew,0,${kim.id}\n`, deals)).toMatchObject({ skipped: 1, created: 0 });
  const tasks = { object: 'tasks', mapping: { title: 'title', who: 'contact', deal: 'deal' } };
  expect(await imported(own, `title,who,deal\nCall,${kim.id},D0\n`, tasks)).toMatchObject({ created: 1, failed: 0 });
});

test('a row names a contact by a phone or a username, and a deal by its id', async () => {
  const { live: own } = await newWorkspace();
  const { body: kim } = await own.post(
    '/v1/contacts',
    { name: 'Kim', phone: '+49 170 5550101', username: 'kim_k' },
    201,
  );
  const { body: deal } = await own.post('/v1/deals', { title: 'Big' }, 201);
  const file = `title,who,deal\nBy phone,0049 (170) 555-0101,\nBy username,@KIM_K,\nBy id,,${deal.id}\n`;
  const mapping = { title: 'title', who: 'contact', deal: 'deal' };
  expect(await imported(own, file, { object: 'tasks', mapping })).toMatchObject({ created: 3, failed: 0 });
  const tasks = await everyItem(own, '/v1/tasks');
  expect(new Map(tasks.map(({ title, contactId, dealId }) => [title, [contactId, dealId]]))).toEqual(
    new Map([
      ['By phone', [kim.id, null]],
      ['By username', [kim.id, null]],
      ['By id', [null, deal.id]],
    ]),
  );
});

test('a row that is nested too deep fails alone', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const input = { object: 'contacts', mapping: { n: 'name', k: 'metadata.k', t: 'tags' } };
  const lines = [`{"n":"A","k":${deep}}`, `{"n":"B","t":${deep}}`, '{"n":"Shallow"}'].join('\n');
  const done = await imported(live, lines, input);
  expect(done).toMatchObject({ status: 'completed', created: 1, failed: 2 });
  expect(await errorsOf(done)).toContain('nested deeper than 500 levels');
});

test('a line with values of odd forms leaves the others alone', async () => {
  const odd = '{"toString":1,"valueOf":1}';
  const mapping = { n: 'name', m: 'name', e: 'email', t: 'tags', c: 'company', k: 'metadata.k' };
  const lines = [
    `{"n":"A","e":"a@odd.example","t":${odd}}`,
    `{"n":"B","e":"b@odd.example","c":${odd},"k":${odd}}`,
    `{"n":"C","e":"c@odd.example","m":${odd}}`,
    `{"n":"D","e":${odd}}`,
    `{"n":"E","e":"e@odd.example"}`,
  ];
  const done = await imported(live, lines.join('\n'), { object: 'contacts', mapping, matchOn: 'email' });
  expect(done).toMatchObject({ status: 'completed', created: 3, failed: 2 });
});

test('createMissing makes nothing whose name the single call refuses', async () => {
  await live.post('/v1/fields', { object: 'contact', slug: 'odd', title: 'Odd', type: 'select', options: [] }, 201);
  const lines = [
    { n: 'A', c: 'x'.repeat(201) },
    { n: 'B', c: 'a\0b' },
    { n: 'C', c: '\u200b\u200b' },
    { n: 'D', o: 'x'.repeat(81) },
    { n: 'E', o: 'two\nlines' },
    { n: 'F', c: 'Good', o: 'Good' },
  ];
  const done = await imported(live, lines.map((line) => JSON.stringify(line)).join('\n'), {
    ...{ object: 'contacts', mapping: { n: 'name', c: 'company', o: 'fields.odd' } },
    createMissing: ['companies', 'options'],
  });
  expect(done).toMatchObject({ created: 1, failed: 5 });
  expect(await errorsOf(done)).toContain('company must have at most 200 characters');
});

test('a cell takes each value once, and fails its row with more than 100', async () => {
  const many = Array.from({ length: 101 }, (_, at) => `M${at}`).join(';');
  const done = await imported(live, `n,c\nA,"${'Same;'.repeat(2000)}"\nB,"${many}"\n`, {
    ...{ object: 'contacts', mapping: { n: 'name', c: 'companies' }, createMissing: ['companies'] },
  });
  expect(done).toMatchObject({ created: 1, failed: 1 });
  expect(await errorsOf(done)).toContain('companies must have at most 100 different values');
});

test('an environment has at most 20 imports under way', async () => {
  const { live: own } = await newWorkspace();
  const input = { fileId: await uploadedSheet(own, 'n\nA\n'), object: 'contacts', mapping: { n: 'name' } };
  const ids: number[] = [];
  for (let at = 0; at < 20; at += 1) ids.push((await own.post('/v1/imports', input, 202)).body.id);
  const { body } = await own.post('/v1/imports', input, 409);
  expect(body.details).toMatchObject({ reason: 'limit_reached', limit: 20 });
  await own.post(`/v1/imports/${ids[3]}/cancel`, {}, 200);
  await own.post('/v1/imports', input, 202);
});

test('NDJSON brings objects as the API shows them, and a broken line fails alone', async () => {
  const lines = [
    '{"name":"Deep","email":"deep@example.org","metadata":{"ref":"1"},"tags":[{"name":"a"}],"leadScore":7}',
    '{"name":"Broken"',
    `{"name":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    '{"__proto__":{"name":"x"},"email":"proto@example.org"}',
  ];
  const done = await imported(live, lines.join('\n'), {
    object: 'contacts',
    mapping: { name: 'name', email: 'email', 'metadata.ref': 'metadata.ref', tags: 'tags', leadScore: 'leadScore' },
    createMissing: ['tags'],
  });
  expect(done).toMatchObject({ total: 4, created: 1, failed: 3 });
  expect((await errorsOf(done)).split('\n')[0]).toBe(
    '{"line":"{\\"name\\":\\"Broken\\"","error":"the line must be one JSON object"}',
  );
  expect((await live.get('/v1/contacts', { email: 'deep@example.org' })).body.items).toMatchObject([{ leadScore: 7 }]);
});

test('NDJSON keeps an apostrophe before a sign, which only cells of CSV are guarded by', async () => {
  const mapping = { name: 'name', email: 'email' };
  const name = "'=Apostrophe";
  await imported(live, JSON.stringify({ name, email: 'line@example.org' }), { object: 'contacts', mapping });
  await imported(live, `name,email\n${name},cell@example.org\n`, { object: 'contacts', mapping });
  const nameOf = async (email: string) => (await live.get('/v1/contacts', { email })).body.items[0].name;
  expect(await Promise.all(['line@example.org', 'cell@example.org'].map(nameOf))).toEqual([name, '=Apostrophe']);
});

test.each([
  ['utf-8', Buffer.from('\ufeffName,Mail\nZoë,z@example.org\n'), ','],
  ['utf-16', Buffer.from('\ufeffName\tMail\r\nZoë\tz@example.org\r\n', 'utf16le'), '\t'],
  ['utf-16', Buffer.from('\ufeffName|Mail\nZoë|z@example.org\n', 'utf16le').swap16(), '|'],
  ['windows-1252', Buffer.from('Name;Mail\nZo\xeb;z@example.org\n', 'latin1'), ';'],
])('a preview finds %s and the delimiter', async (encoding, bytes, delimiter) => {
  const fileId = await uploadedSheet(live, bytes as Buffer);
  const { body } = await live.post('/v1/imports/preview', { fileId, object: 'contacts' }, 200);
  expect(body).toEqual({
    ...{ format: 'csv', encoding, delimiter, rows: 1 },
    columns: [
      { header: 'Name', samples: ['Zoë'], suggested: 'name' },
      { header: 'Mail', samples: ['z@example.org'], suggested: 'email' },
    ],
  });
});

test('a preview has three samples of a column, and changes nothing', async () => {
  const fileId = await uploadedSheet(live, 'Name,Shoe\nA,41\nB,41\nC,42\nD,43\nE,44\n');
  const audited = async () => (await live.get('/v1/audit-events')).body.items[0];
  const before = await audited();
  const previewed = async (object: string) =>
    live.call('POST', '/v1/imports/preview', { body: { fileId, object }, headers: { 'Idempotency-Key': 'preview-1' } });
  const { body } = await previewed('contacts');
  expect(body).toMatchObject({ rows: 5, columns: [{ samples: ['A', 'B', 'C'], suggested: 'name' }, {}] });
  expect(body.columns[1]).toEqual({ header: 'Shoe', samples: ['41', '42', '43'], suggested: null });
  const again = await previewed('companies');
  expect(again.status).toBe(200);
  expect(again.headers).not.toHaveProperty('idempotency-replayed');
  expect(await audited()).toEqual(before);
});

test('a byte outside the encoding fails its row', async () => {
  const bytes = Buffer.concat([Buffer.from('Name\nZoë\n'), Buffer.from([0xff, 0x41, 0x0a]), Buffer.from('Ada\n')]);
  const done = await imported(live, bytes, { object: 'contacts', mapping: { Name: 'name' } });
  expect(done).toMatchObject({ created: 2, failed: 1 });
});

test.each([
  ['a zip', Buffer.from('PK\x03\x04 and more'), 'fileId must be a CSV or NDJSON file'],
  ['a list of all', Buffer.from('[{"name":"Ada"}]'), 'fileId must have one object a line'],
  ['a million columns', Buffer.from(`${'a,'.repeat(450_000)}\n`), 'at most 500 columns'],
])('%s is refused', async (_, bytes, message) => {
  const fileId = await uploadedSheet(live, bytes as Buffer);
  const { body } = await live.post('/v1/imports/preview', { fileId, object: 'contacts' }, 400);
  expect(body.details.fields[0]).toMatchObject({
    field: 'fileId',
    message: expect.stringContaining(message as string),
  });
});

test('a row that is too long ends the import before its first row', async () => {
  const done = await imported(live, `Name\nAda\n"${'x'.repeat(1_200_000)}\n`, {
    object: 'contacts',
    mapping: { Name: 'name' },
  });
  expect(done).toMatchObject({
    status: 'failed',
    processed: 0,
    error: expect.stringContaining('at most 1048576 bytes'),
  });
  const { body } = await live.post(`/v1/imports/${done.id}/undo`, {}, 409);
  expect(body.details).toMatchObject(because('import_not_undoable'));
});

test('a file of another workspace, or for a message, is not there, and each object needs its scope', async () => {
  const other = await newWorkspace();
  const fileId = await uploadedSheet(other.live, 'Name\nAda\n');
  const input = { object: 'contacts', mapping: { Name: 'name' } };
  const { body } = await live.post('/v1/imports', { ...input, fileId: fileId + 1000 }, 400);
  expect(body.details.fields[0]).toMatchObject({ field: 'fileId', code: 'unknown_reference' });
  const { client } = await other.mint({ scopes: ['imports:run', 'deals:write'] });
  await client.post('/v1/imports', { ...input, fileId }, 403);
  await client.post('/v1/imports', { object: 'deals', mapping: { Name: 'title' }, fileId }, 202);
  await client.post('/v1/files', { fileName: 'a.csv', contentType: 'text/csv', sizeBytes: 1 }, 403);
});
