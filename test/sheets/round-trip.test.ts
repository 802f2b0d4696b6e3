import { beforeAll, expect, test } from 'vitest';
import type { Answer, Client } from '#test/client.ts';
import { exported, linesOf } from '#test/exports/exporting.ts';
import { imported, uploadedSheet } from '#test/imports/importing.ts';
import { newWorkspace } from '#test/workspace.ts';

/** Custom values that a spreadsheet, a list, or a program may take for something else. */
const values = {
  ...{ nick: '=1+1', story: 'two\nlines; "quoted", \\;', size: -12.5, budget: { amount: -1200.5, currency: 'EUR' } },
  ...{ is_partner: false, since: '2024-02-29', met_at: '2026-11-20T23:17:47Z', site: 'https://example.com/?a;b' },
  ...{ color: 'Red; warm', colors: [String.raw`Bl\ue`, 'Red; warm'] },
};
const types: Record<keyof typeof values, string> = {
  ...{ nick: 'text', story: 'long_text', size: 'number', budget: 'money', is_partner: 'checkbox', since: 'date' },
  ...{ met_at: 'datetime', site: 'url', color: 'select', colors: 'multi_select' },
};
const others = {
  ...{ nick: 'x', story: 'x', size: 1, budget: { amount: 1, currency: 'USD' }, is_partner: true, since: '2000-01-01' },
  ...{ met_at: '2000-01-01T00:00:00Z', site: 'https://example.org/', color: String.raw`Bl\ue`, colors: ['Red; warm'] },
};
const metadata = { source: '+fair', note: 'a;b' };

let live: Client;
let companyId: number;
let contactId: number;
let memberId: number;
beforeAll(async () => {
  const workspace = await newWorkspace();
  ({ live, memberId } = workspace);
  const options = [{ label: 'Red; warm' }, { label: String.raw`Bl\ue` }];
  for (const object of ['contact', 'company', 'deal', 'task'])
    for (const [slug, type] of Object.entries(types))
      await post('/v1/fields', { object, slug, title: slug, type, ...(type.endsWith('select') && { options }) });
  companyId = (await post('/v1/companies', { name: 'Acme; Sons', domains: ['acme-sons.com'] })).id;
  contactId = (await post('/v1/contacts', { name: 'Grace', email: 'grace@example.com' })).id;
});

const post = async (path: string, body: object) => (await live.post(path, body, 201)).body;

/** Imports a file under the names that the preview suggests. */
async function importAgain(object: string, bytes: Buffer, more: object): Promise<Answer['body']> {
  const preview = (await live.post('/v1/imports/preview', { fileId: await uploadedSheet(live, bytes), object }, 200))
    .body;
  const suggested = preview.columns.filter(({ suggested: field }: Answer['body']) => field !== null);
  const mapping = Object.fromEntries(suggested.map(({ header, suggested: field }: Answer['body']) => [header, field]));
  return imported(live, bytes, { object, mapping, ...more });
}

/** Exports a record, changes it, imports the file, and expects the record to be as it was. */
async function goesRound(object: string, id: number, changes: object, include: string): Promise<void> {
  const path = `/v1/${object}/${id}`;
  const shown = async () => {
    const [{ body: record }, { body: pairs }] = [
      await live.get(path, { include }, 200),
      await live.get(`${path}/metadata`),
    ];
    return { ...record, ...pairs, updatedAt: null };
  };
  const before = await shown();
  for (const format of ['csv', 'ndjson']) {
    const filter = { field: 'id', op: 'eq', value: id };
    const { bytes } = await exported(live, { object, format, filter });
    await live.patch(path, { ...changes, fields: others }, 200);
    await live.put(`${path}/metadata`, { metadata: { source: 'x', note: 'y' } }, 200);
    expect(await shown()).not.toEqual(before);
    const found = await importAgain(object, bytes, { matchOn: 'id', onConflict: 'update' });
    expect([format, found]).toEqual([format, expect.objectContaining({ status: 'completed', updated: 1, failed: 0 })]);
    expect(await shown()).toEqual(before);
  }
}

const common = { fields: values, metadata };

test('a contact is the same after export and import', async () => {
  const { id } = await post('/v1/contacts', {
    ...{ name: '=Ada', email: 'ada@example.com', phone: '+49 170 1234567', notes: '@home; "x"\n-', stage: 'engaged' },
    ...{ leadScore: 42, tags: ['vip', 'a;b'], assignedToUserId: memberId, ...common },
  });
  await post(`/v1/contacts/${id}/addresses`, { kind: 'email', value: 'ada@home.example' });
  await live.put(`/v1/contacts/${id}/companies`, { items: [{ companyId }] }, 200);
  const changes = { name: 'Changed', notes: 'changed' };
  await goesRound('contacts', id, changes, 'fields,companies,addresses');
});

test('a company is the same after export and import', async () => {
  const { id } = await post('/v1/companies', {
    ...{ name: '-Acme', domains: ['acme.com', 'acme.org'], website: 'https://acme.com/', phone: '+49 30 123456' },
    ...{ address: 'Street 1\nTown', notes: '=x', assignedToUserId: memberId, ...common },
  });
  await goesRound('companies', id, { name: 'Changed', address: 'changed', notes: 'changed' }, 'fields');
});

test('a deal is the same after export and import', async () => {
  const { id } = await post('/v1/deals', {
    ...{ title: '=Deal', value: 99.5, currency: 'USD', contactId, companyId, probability: 35, notes: '+1' },
    ...{ expectedCloseAt: '2027-01-01T00:00:00Z', assignedToUserId: memberId, ...common },
  });
  const changes = { title: 'Changed', value: 1, currency: 'EUR', probability: 1, notes: 'changed' };
  await goesRound('deals', id, changes, 'fields,company,owner,pipeline');
});

test('a task is the same after export and import', async () => {
  const { id } = await post('/v1/tasks', {
    ...{ title: '@Task', description: '=x\n;', priority: 'high', dueAt: '2027-01-01T00:00:00Z', contactId, ...common },
  });
  await goesRound('tasks', id, { title: 'Changed', description: 'changed', priority: 'low' }, 'fields');
});

test('notes are made anew with their text, time, and record', async () => {
  await post(`/v1/contacts/${contactId}/activities`, { text: '=a "note"\nof; Grace' });
  await post(`/v1/companies/${companyId}/activities`, { text: "'-a note of Acme" });
  const notes = async () => {
    const lines = linesOf((await exported(live, { object: 'notes', format: 'ndjson' })).bytes);
    return lines.map(({ contactId: contact, companyId: company, text, createdAt }) => ({
      contact,
      company,
      text,
      createdAt,
    }));
  };
  const before = await notes();
  const { bytes } = await exported(live, { object: 'notes', format: 'csv' });
  expect(await importAgain('notes', bytes, {})).toMatchObject({ status: 'completed', created: 2, failed: 0 });
  const after = await notes();
  expect(after).toHaveLength(4);
  for (const note of before)
    expect(after.filter((one) => JSON.stringify(one) === JSON.stringify(note))).toHaveLength(2);
});
