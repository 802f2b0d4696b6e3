import { beforeAll, expect, test } from 'vitest';
import { fromNow, hourMs } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { keyOf } from '#lib/table/entity.ts';
import { readRow } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { type Answer, everyItem } from '#test/client.ts';
import { conversations } from '#test/conversations/world.ts';
import { advance, settle } from '#test/harness.ts';

let world: Awaited<ReturnType<typeof conversations>>;
beforeAll(async () => {
  world = await conversations();
  await world.live.post('/v1/fields', { object: 'contact', slug: 'code', title: 'Code', type: 'text', isUnique: true });
});

type Body = Answer['body'];
const make = async (path: string, body: object): Promise<Body> => (await world.live.post(path, body, 201)).body;
const get = async (path: string, query: Record<string, string | number> = {}): Promise<Body> =>
  (await world.live.get(path, query, 200)).body;
const archive = (path: string, { id }: { id: number }) => world.live.post(`${path}/${id}/archive`, {}, 200);
const restore = (path: string, { id }: { id: number }) => world.live.post(`${path}/${id}/restore`, {}, 200);
const isArchived = async (path: string, { id }: { id: number }) =>
  (await get(`${path}/${id}`, { include: 'archive' })).archive !== null;
const idsIn = async (path: string, query: Record<string, string | number> = {}) =>
  (await everyItem(world.live, path, query)).map(({ id }) => id as number);

/** The columns of a board by key, with what they count. */
async function columns(kind: 'deal' | 'contact'): Promise<Record<string, Body>> {
  const [board] = (await get('/v1/pipelines', { kind })).items;
  const { items } = await get(`/v1/pipelines/${board.id}/columns`);
  return Object.fromEntries(items.map((column: Body) => [column.key, column]));
}

test('a board and a company count a deal unless it is archived', async () => {
  const company = await make('/v1/companies', { name: 'Engines' });
  const read = async () => {
    const { lead } = await columns('deal');
    const { openDealCount } = await get(`/v1/companies/${company.id}`);
    return { count: lead.count, totals: lead.totals, openDealCount };
  };
  const before = await read();
  const deal = await make('/v1/deals', { title: 'One', value: 5, companyId: company.id });
  const during = await read();
  expect(during).toMatchObject({ count: before.count + 1, openDealCount: 1 });
  await archive('/v1/deals', deal);
  expect({ ...(await read()), totals: [] }).toEqual({ ...before, totals: [] });
  await restore('/v1/deals', deal);
  expect(await read()).toEqual(during);
});

test('a board, a company, and a tag count a contact unless it is archived', async () => {
  const company = await make('/v1/companies', { name: 'Engines' });
  const tag = await make('/v1/tags', { name: 'Counted' });
  const read = async () => {
    const { proposal, qualified } = await columns('contact');
    const { contactCount } = await get(`/v1/companies/${company.id}`);
    const tagged = (await get('/v1/tags')).items.find(({ id }: Body) => id === tag.id).contactCount;
    return { stages: [proposal?.count, qualified?.count], contactCount, tagged };
  };
  const before = await read();
  const contact = await make('/v1/contacts', { name: 'Ada', stage: 'qualified', tags: ['Counted'] });
  await world.live.put(`/v1/contacts/${contact.id}/companies`, { items: [{ companyId: company.id }] }, 200);
  const during = await read();
  expect(during).not.toEqual(before);
  await archive('/v1/contacts', contact);
  expect(await read()).toEqual(before);
  expect((await get(`/v1/companies/${company.id}/contacts`)).items).toEqual([]);
  expect((await get(`/v1/companies/${company.id}/contacts?archived=true`)).items).toMatchObject([{ id: contact.id }]);
  await restore('/v1/contacts', contact);
  expect(await read()).toEqual(during);
});

test('a contact of many tags is counted in all of them again when it is restored', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `many ${index}`);
  const contact = await make('/v1/contacts', { name: 'Ada', tags: names.slice(0, 15) });
  for (const tagName of names.slice(15)) await world.live.post(`/v1/contacts/${contact.id}/tags`, { tagName });
  const counts = async () => {
    await settle();
    const tags: Body[] = (await get('/v1/tags')).items;
    return [...new Set(tags.filter(({ name }) => names.includes(name)).map(({ contactCount }) => contactCount))];
  };
  await archive('/v1/contacts', contact);
  expect(await counts()).toEqual([0]);
  await restore('/v1/contacts', contact);
  expect(await counts()).toEqual([1]);
});

test('the dashboard leaves out what is archived', async () => {
  const read = async () => {
    const { contacts, deals, tasks } = await get('/v1/analytics/dashboard');
    return { contacts, deals, tasks };
  };
  const before = await read();
  const records: [string, Body][] = [
    ['/v1/contacts', await make('/v1/contacts', { name: 'Ada' })],
    ['/v1/deals', await make('/v1/deals', { title: 'One', value: 5 })],
    ['/v1/tasks', await make('/v1/tasks', { title: 'Call', dueAt: '2020-01-01T00:00:00Z' })],
  ];
  const during = await read();
  expect([during.contacts.total, during.deals.open, during.tasks.overdue]).toEqual([
    before.contacts.total + 1,
    before.deals.open + 1,
    before.tasks.overdue + 1,
  ]);
  for (const [path, record] of records) await archive(path, record);
  expect(await read()).toEqual(before);
  for (const [path, record] of records) await restore(path, record);
  expect(await read()).toEqual(during);
});

test('an archived record has no end', async () => {
  const contact = await make('/v1/contacts', { name: 'Ada' });
  await archive('/v1/contacts', contact);
  const row = await readRow(keyOf(world.tenant, Contacts, { id: contact.id }));
  expect(row).toMatchObject({ archive: expect.any(Object) });
  expect(row).not.toHaveProperty('expiresAtSeconds');
});

test('a deal shows and counts a task unless that is archived', async () => {
  const deal = await make('/v1/deals', { title: 'One' });
  const task = await make('/v1/tasks', { title: 'Call', dealId: deal.id });
  await archive('/v1/tasks', task);
  expect(await get(`/v1/deals/${deal.id}`)).toMatchObject({ openTaskCount: 0, tasks: [] });
  await restore('/v1/tasks', task);
  expect(await get(`/v1/deals/${deal.id}`)).toMatchObject({ openTaskCount: 1, tasks: [{ id: task.id }] });
});

test('deals and tasks of an archived contact stay as they are', async () => {
  const contact = await make('/v1/contacts', { name: 'Ada' });
  const deal = await make('/v1/deals', { title: 'One', contactId: contact.id });
  const task = await make('/v1/tasks', { title: 'Call', contactId: contact.id });
  await archive('/v1/contacts', contact);
  expect(await get(`/v1/deals/${deal.id}`)).toEqual(deal);
  expect(await get(`/v1/tasks/${task.id}`)).toEqual(task);
});

test('an archived task reminds nobody, and a restored one only of what is ahead', async () => {
  const task = await make('/v1/tasks', { title: 'Call', remindAt: fromNow(hourMs) });
  await archive('/v1/tasks', task);
  await advance(2 * hourMs);
  await restore('/v1/tasks', task);
  await settle();
  const { items } = await get('/v1/events', { eventKind: 'task.reminder_due', limit: 100 });
  expect(items.filter(({ data }: Body) => data.task_id === String(task.id))).toEqual([]);
});

test('a restored deal goes to the first column of its stage when its own is gone', async () => {
  const board = await make('/v1/pipelines', {
    name: 'Partners',
    columns: [
      { name: 'First', stage: 'lead' },
      { name: 'Second', stage: 'lead' },
    ],
  });
  const [first, second] = board.columns;
  const deal = await make('/v1/deals', { title: 'One', columnId: second.id });
  await archive('/v1/deals', deal);
  expect((await world.live.delete(`/v1/pipelines/${board.id}/columns/${second.id}`)).status).toBe(200);
  const place = { pipeline: { id: board.id, columnId: first.id, columnName: 'First' } };
  expect(await get(`/v1/deals/${deal.id}`, { include: 'pipeline' })).toMatchObject(place);
  await restore('/v1/deals', deal);
  expect(await get(`/v1/deals/${deal.id}`, { include: 'pipeline' })).toMatchObject(place);
  expect(await idsIn('/v1/deals', { columnId: first.id })).toEqual([deal.id]);
});

test('an archived company holds no domain, and takes it back unless another one has it', async () => {
  const company = await make('/v1/companies', { name: 'One', domains: ['archived-one.com'] });
  await archive('/v1/companies', company);
  const other = await make('/v1/companies', { name: 'Two', domains: ['archived-one.com'] });
  const { body } = await world.live.post(`/v1/companies/${company.id}/restore`, {}, 409);
  expect(body.details).toMatchObject({ reason: 'domain_taken', companyId: other.id });
  await world.live.patch(`/v1/companies/${other.id}`, { domains: [] }, 200);
  await restore('/v1/companies', company);
  expect(await idsIn('/v1/companies', { domain: 'archived-one.com' })).toEqual([company.id]);
});

test.each<[string, object, object]>([
  [
    'contacts',
    { name: 'Upserted', email: 'upserted@example.com' },
    { matchOn: 'email', email: 'upserted@example.com' },
  ],
  ['contacts', { name: 'Upserted', username: 'upserted' }, { matchOn: 'username', username: 'upserted' }],
  ['contacts', { name: 'Upserted', fields: { code: 'up' } }, { matchOn: 'fields.code', fields: { code: 'up' } }],
  ['companies', { name: 'Upserted Ltd' }, { matchOn: 'name' }],
  ['companies', { name: 'U', domains: ['upserted.com'] }, { matchOn: 'domain', domain: 'upserted.com' }],
])('an upsert of %s passes over the archived ones (case %#)', async (noun, least, match) => {
  const path = `/v1/${noun}`;
  const record = await make(path, least);
  await archive(path, record);
  const { body } = await world.live.post(`${path}/upsert`, { name: 'Upserted Ltd', ...match }, 201);
  expect(body.id).not.toBe(record.id);
});

test('duplicates leave out archived contacts and companies', async () => {
  for (const [path, least] of [
    ['/v1/contacts', { name: 'Double', email: 'double@example.com' }],
    ['/v1/companies', { name: 'Double Ltd' }],
  ] as const) {
    const [one, other] = [await make(path, least), await make(path, least)];
    expect(await idsIn(`${path}/${one.id}/duplicates`)).toEqual([other.id]);
    await archive(path, other);
    expect(await idsIn(`${path}/${one.id}/duplicates`)).toEqual([]);
  }
});

test.each([
  ['a message', (contact: Body) => world.write(contact.id, 'inbound', 'Hello')],
  ['a mail', (contact: Body) => world.mail({ from: contact.email })],
  [
    'a message of a username',
    (contact: Body) =>
      transact(world.tenant, operator, (tx) =>
        receiveMessage(tx, {
          channel: 'telegram',
          accountId: world.accountId,
          from: { username: contact.username },
          body: 'Hello',
          threadId: null,
        } as never),
      ),
  ],
])('%s restores an archived contact', async (_, write) => {
  const name = `writer_${Math.random().toString(36).slice(2)}`;
  const contact = await make('/v1/contacts', {
    ...{ name, username: name, email: `${name}@example.com` },
    fields: { code: name },
  });
  await archive('/v1/contacts', contact);
  const other = await make('/v1/contacts', { name: 'Other', fields: { code: name } });
  await write(contact);
  expect(await isArchived('/v1/contacts', contact)).toBe(false);
  expect(await idsIn('/v1/contacts', { username: name })).toEqual([contact.id]);
  expect((await get(`/v1/contacts/${contact.id}/fields`)).fields.code).toBeNull();
  expect((await get(`/v1/contacts/${other.id}/fields`)).fields.code).toBe(name);
  await settle();
  const { items } = await get('/v1/events', { eventKind: 'contact.restored', limit: 100 });
  expect(items.filter(({ data }: Body) => data.contact_id === String(contact.id))).toHaveLength(1);
});

test('a message that we write restores no archived contact', async () => {
  const contact = await make('/v1/contacts', { name: 'Ada' });
  await archive('/v1/contacts', contact);
  await world.write(contact.id, 'outbound', 'Hello');
  expect(await isArchived('/v1/contacts', contact)).toBe(true);
});

test('the list of conversations leaves out an archived contact', async () => {
  const contact = await make('/v1/contacts', { name: 'Ada' });
  await world.write(contact.id, 'inbound', 'Hello');
  const { id } = await world.of(contact.id);
  await archive('/v1/contacts', contact);
  expect((await world.list({ limit: 100 })).map((one) => one.id)).not.toContain(id);
  for (const [verb, body] of [
    ['state', { state: 'done' }],
    ['assignee', { userId: world.memberId }],
    ['read', {}],
  ] as const) {
    const { status, body: refusal } = await world.live.post(`/v1/conversations/${id}/${verb}`, body);
    expect([status, refusal.details?.reason], verb).toEqual([409, 'archived']);
  }
});

test('the jobs and sequences of an archived contact stop, and nothing new is queued', async () => {
  const { test: sandbox, tenant } = world;
  const inSandbox = { ...tenant, env: 'test' } as const;
  const account = (
    await sandbox.post('/v1/telegram/accounts', { kind: 'bot', botToken: 'test_archive', inbound: 'off' })
  ).body;
  const contact = (await sandbox.post('/v1/contacts', { name: 'Ada', username: 'ada_archived' }, 201)).body;
  const message = { accountId: account.id, contactId: contact.id, text: 'Later', runAt: fromNow(hourMs) };
  const job = (await sandbox.post('/v1/telegram/messages', message, 202)).body;
  const steps = [{ delayMinutes: 60, text: 'Hello' }];
  const sequence = await transact(inSandbox, operator, (tx) =>
    createSequence(tx, {
      name: 'Spring',
      channel: 'telegram',
      accountId: account.id,
      status: 'active',
      steps,
    } as never),
  );
  await transact(inSandbox, operator, (tx) => enroll(tx, sequence.id, contact.id));
  await sandbox.post(`/v1/contacts/${contact.id}/archive`, {}, 200);
  await settle();
  expect((await sandbox.get(`/v1/jobs/${job.id}`)).body).toMatchObject({ status: 'failed', lastError: 'canceled' });
  const { items } = (await sandbox.get(`/v1/sequences/${sequence.id}/enrollments`)).body;
  expect(items).toMatchObject([{ contactId: contact.id, status: 'stopped' }]);
  for (const [path, body] of [
    ['/v1/telegram/messages', message],
    [`/v1/sequences/${sequence.id}/enrollments`, { contactIds: [contact.id] }],
  ] as const) {
    const { body: answer } = await sandbox.post(path, body);
    expect(JSON.stringify(answer), path).toContain('"reason":"archived"');
  }
});

test('an archived contact is merged into another one with its tags, values, and deals', async () => {
  const tag = await make('/v1/tags', { name: 'Merged' });
  const source = await make('/v1/contacts', { name: 'Source', phone: '+44 20 7946 0018', tags: ['Merged'] });
  await world.live.patch(`/v1/contacts/${source.id}/fields`, { fields: { code: 'merged' } }, 200);
  const target = await make('/v1/contacts', { name: 'Target', tags: ['Merged'] });
  const deal = await make('/v1/deals', { title: 'One', contactId: source.id });
  const gone = await make('/v1/deals', { title: 'Two', contactId: source.id });
  await archive('/v1/deals', gone);
  await archive('/v1/contacts', source);
  await world.live.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id }, 200);
  await settle();
  expect((await get(`/v1/contacts/${target.id}/fields`)).fields.code).toBe('merged');
  for (const { id } of [deal, gone])
    expect(await get(`/v1/deals/${id}`)).toMatchObject({ contactId: target.id, contactName: 'Target' });
  expect(await idsIn('/v1/deals', { contactId: target.id })).toEqual([deal.id]);
  expect((await get('/v1/tags')).items.find(({ id }: Body) => id === tag.id).contactCount).toBe(1);
});

test('an archived company is merged into another one unless its domain is taken', async () => {
  const source = await make('/v1/companies', { name: 'Source', domains: ['merged-source.com'] });
  const contact = await make('/v1/contacts', { name: 'Ada', email: 'ada@merged-source.com' });
  await archive('/v1/companies', source);
  const target = await make('/v1/companies', { name: 'Target' });
  const holder = await make('/v1/companies', { name: 'Holder', domains: ['merged-source.com'] });
  const merge = { sourceCompanyId: source.id };
  const { body } = await world.live.post(`/v1/companies/${target.id}/merge`, merge, 409);
  expect(body.details).toMatchObject({ reason: 'domain_taken', companyId: holder.id });
  await world.live.patch(`/v1/companies/${holder.id}`, { domains: [] }, 200);
  await world.live.post(`/v1/companies/${target.id}/merge`, merge, 200);
  await settle();
  expect(await idsIn('/v1/companies', { domain: 'merged-source.com' })).toEqual([target.id]);
  expect((await get(`/v1/contacts/${contact.id}`)).company).toBe('Target');
  expect((await get(`/v1/companies/${target.id}`)).contactCount).toBe(1);
});

test('an archived record is merged into the one that has its unique value and domain by then', async () => {
  const [lost, kept] = [
    await make('/v1/contacts', { name: 'Lost', fields: { code: 'twice' } }),
    await make('/v1/companies', { name: 'Lost', domains: ['merged-twice.com'] }),
  ];
  await archive('/v1/contacts', lost);
  await archive('/v1/companies', kept);
  const contact = await make('/v1/contacts', { name: 'Kept', fields: { code: 'Twice' } });
  const company = await make('/v1/companies', { name: 'Kept', domains: ['merged-twice.com'] });
  await world.live.post(`/v1/contacts/${contact.id}/merge`, { sourceContactId: lost.id }, 200);
  const { body } = await world.live.post(`/v1/companies/${company.id}/merge`, { sourceCompanyId: kept.id }, 200);
  expect((await get(`/v1/contacts/${contact.id}/fields`)).fields.code).toBe('Twice');
  expect(body.domains).toEqual(['merged-twice.com']);
  // The value is the target's alone: it can be given away.
  await world.live.patch(`/v1/contacts/${contact.id}/fields`, { fields: { code: null } }, 200);
  await make('/v1/contacts', { name: 'Next', fields: { code: 'twice' } });
});

test('a record is restored without a taken value of a field that is archived', async () => {
  const field = { object: 'contact', slug: 'gone', title: 'Gone', type: 'text', isUnique: true };
  const { id } = await make('/v1/fields', field);
  const contact = await make('/v1/contacts', { name: 'First', fields: { gone: 'x' } });
  await archive('/v1/contacts', contact);
  const holder = await make('/v1/contacts', { name: 'Second', fields: { gone: 'x' } });
  await archive('/v1/fields', { id });
  await restore('/v1/contacts', contact);
  await restore('/v1/fields', { id });
  const codeOf = async (of: { id: number }) => (await get(`/v1/contacts/${of.id}/fields`)).fields.gone;
  expect([await codeOf(contact), await codeOf(holder)]).toEqual([null, 'x']);
  await archive('/v1/fields', { id });
});

test('a company that is archived links nobody by its domain until it is restored', async () => {
  const contact = await make('/v1/contacts', { name: 'Ada', email: 'ada@linked-later.com' });
  const company = await make('/v1/companies', { name: 'Later', domains: ['linked-later.com'] });
  await archive('/v1/companies', company);
  await settle();
  const companies = async () => (await get(`/v1/contacts/${contact.id}/companies`)).items;
  expect(await companies()).toEqual([]);
  await restore('/v1/companies', company);
  await settle();
  expect(await companies()).toMatchObject([{ companyId: company.id, isPrimary: true }]);
});

test('an archived contact follows a new name of its company', async () => {
  const company = await make('/v1/companies', { name: 'Before' });
  const contact = await make('/v1/contacts', { name: 'Ada' });
  await world.live.put(`/v1/contacts/${contact.id}/companies`, { items: [{ companyId: company.id }] }, 200);
  await archive('/v1/contacts', contact);
  await world.live.patch(`/v1/companies/${company.id}`, { name: 'After' }, 200);
  await settle();
  expect((await get(`/v1/contacts/${contact.id}`)).company).toBe('After');
  expect(await isArchived('/v1/contacts', contact)).toBe(true);
});

test('an archived contact is erased with its tags', async () => {
  const tag = await make('/v1/tags', { name: 'Erased' });
  const contact = await make('/v1/contacts', { name: 'Ada', tags: ['Erased'] });
  const task = await make('/v1/tasks', { title: 'Call', contactId: contact.id });
  await archive('/v1/tasks', task);
  await archive('/v1/contacts', contact);
  await world.live.post(`/v1/contacts/${contact.id}/erasure`, { confirm: String(contact.id) }, 202);
  await settle();
  expect((await world.live.get(`/v1/contacts/${contact.id}`)).status).toBe(404);
  expect((await get(`/v1/tasks/${task.id}`)).contactId).toBeNull();
  expect((await get('/v1/tags')).items.find(({ id }: Body) => id === tag.id).contactCount).toBe(0);
});

test('the export of a person has what is archived', async () => {
  const contact = await make('/v1/contacts', { name: 'Ada' });
  const deal = await make('/v1/deals', { title: 'One', contactId: contact.id });
  await archive('/v1/deals', deal);
  await archive('/v1/contacts', contact);
  expect(await get(`/v1/contacts/${contact.id}/export`)).toMatchObject({
    contact: { id: contact.id },
    deals: [{ id: deal.id }],
  });
});

test('a deleted tag leaves archived contacts, too', async () => {
  const tag = await make('/v1/tags', { name: 'Gone' });
  const contact = await make('/v1/contacts', { name: 'Ada', tags: ['Gone'] });
  await archive('/v1/contacts', contact);
  await world.live.delete(`/v1/tags/${tag.id}`, 200);
  await settle();
  expect((await get(`/v1/contacts/${contact.id}`)).tags).toEqual([]);
});

test('a mail from us to an archived contact is refused', async () => {
  const contact = await make('/v1/contacts', { name: 'Ada', email: 'ada.refused@example.com' });
  await archive('/v1/contacts', contact);
  const mail = { to: ['ada.refused@example.com'], subject: 'Hello', bodyText: 'Hello' };
  const { body } = await world.live.post('/v1/email/messages', mail);
  expect(body.details).toMatchObject({ reason: 'archived' });
});
