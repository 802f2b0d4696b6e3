import { beforeAll, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import { patchWorkspace } from '#lib/workspaces/store.ts';
import { between } from '#test/between.ts';
import { eventually } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { settle } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

let made = 0;
const freshDomain = () => {
  made += 1;
  return `company-${made}.com`;
};
const create = async (given: object = {}) =>
  (await workspace.live.post('/v1/companies', { name: 'Analytical Engines', ...given }, 201)).body;
const contact = async (given: object = {}) =>
  (await workspace.live.post('/v1/contacts', { name: 'Ada', ...given }, 201)).body;
const get = async (path: string, query?: Record<string, string>) => (await workspace.live.get(path, query, 200)).body;
const companiesOf = async (id: number) => (await get(`/v1/contacts/${id}/companies`)).items;

test('a company has the values given, and null for the rest', async () => {
  const domain = freshDomain();
  const company = await create({ domains: [`https://www.${domain.toUpperCase()}/about`], phone: '+44 20 7946 0018' });
  expect(company).toEqual({
    id: company.id,
    name: 'Analytical Engines',
    domains: [domain],
    website: null,
    phone: '+44 20 7946 0018',
    address: null,
    notes: null,
    assignedToUserId: null,
    contactCount: 0,
    openDealCount: 0,
    createdAt: expect.any(String),
    updatedAt: null,
  });
  expect(await get(`/v1/companies/${company.id}`)).toEqual(company);
  expect((await get('/v1/companies', { domain })).items).toEqual([company]);
  expect((await get('/v1/companies', { q: 'engines analyt' })).items).toContainEqual(company);
  expect(await eventsAbout(workspace.id, `company/${company.id}`, 1)).toMatchObject([
    { event: 'company.created', data: { company_id: String(company.id), domains: [domain], fields: {} } },
  ]);
});

test.each([
  ['a bare name', 'engines'],
  ['a name of no public suffix', 'mail.internal'],
  ['an address of the network', '192.168.1.1'],
  ['a public suffix alone', 'co.uk'],
  ['an e-mail address', 'ada@example.com'],
  ['a name with an underscore', 'exa_mple.com'],
])('a domain that is %s is refused', async (_, domain) => {
  const { body } = await workspace.live.post('/v1/companies', { name: 'X', domains: [domain] }, 400);
  expect(body.details.fields).toMatchObject([{ field: 'domains[0]', code: 'invalid_format' }]);
});

test.each([
  ['no name', { name: ' ' }, 'name', 'required'],
  ['a name of 201 characters', { name: 'a'.repeat(201) }, 'name', 'too_long'],
  ['21 domains', { domains: Array.from({ length: 21 }, (_, at) => `d${at}.com`) }, 'domains', 'too_many'],
  ['a long website', { website: `https://a.com/${'a'.repeat(2048)}` }, 'website', 'too_long'],
  ['a phone that is none', { phone: 'none' }, 'phone', 'invalid_format'],
  ['an address of 501 characters', { address: 'a'.repeat(501) }, 'address', 'too_long'],
  ['notes of 10,001 characters', { notes: 'a'.repeat(10_001) }, 'notes', 'too_long'],
  ['an assignee of nobody', { assignedToUserId: 99_999 }, 'assignedToUserId', 'unknown_reference'],
])('a company is refused with %s', async (_, wrong, field, code) => {
  const { body } = await workspace.live.post('/v1/companies', { name: 'X', ...wrong }, 400);
  expect(body.details.fields).toMatchObject([{ field, code }]);
});

test('a domain belongs to one company, whoever asks at the same time', async () => {
  const domain = freshDomain();
  const { id } = await create({ domains: [domain] });
  const { body } = await workspace.live.post('/v1/companies', { name: 'Other', domains: [domain] }, 409);
  expect(body.details).toMatchObject({ ...because('domain_taken'), companyId: id });
  const other = await create({ name: 'Other' });
  await workspace.live.patch(`/v1/companies/${other.id}`, { domains: [domain] }, 409);
  await workspace.test.post('/v1/companies', { name: 'Of the test environment', domains: [domain] }, 201);
  await workspace.live.patch(`/v1/companies/${id}`, { domains: [] }, 200);
  await workspace.live.patch(`/v1/companies/${other.id}`, { domains: [domain] }, 200);
  const raced = freshDomain();
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => workspace.live.post('/v1/companies', { name: 'Race', domains: [raced] })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
});

test('an upsert matches by domain, name in any case, and unique field', async () => {
  await workspace.live.post('/v1/fields', {
    object: 'company',
    slug: 'number',
    title: 'No',
    type: 'text',
    isUnique: true,
  });
  const upsert = (given: object, status: number) => workspace.live.post('/v1/companies/upsert', given, status);
  const [first, second] = [freshDomain(), freshDomain()];
  const { body } = await upsert({ matchOn: 'domain', domain: first, name: 'Upsert One' }, 201);
  expect(body.domains).toEqual([first]);
  const again = await upsert(
    { matchOn: 'domain', domain: `www.${first}`, domains: [second], website: 'https://a.b' },
    200,
  );
  expect(again.body).toMatchObject({ id: body.id, website: 'https://a.b' });
  expect(again.body.domains.sort()).toEqual([first, second].sort());
  expect((await upsert({ matchOn: 'name', name: 'upsert ONE', notes: 'x' }, 200)).body.id).toBe(body.id);
  const { id } = await create({ name: 'Upsert one' });
  const refused = await upsert({ matchOn: 'name', name: 'Upsert One' }, 409);
  expect(refused.body.details).toMatchObject({ ...because('ambiguous_match'), companyIds: [id, body.id] });
  const numbered = await upsert({ matchOn: 'fields.number', name: 'N', fields: { number: 'C-1' } }, 201);
  expect((await upsert({ matchOn: 'fields.number', fields: { number: 'c-1' } }, 200)).body.id).toBe(numbered.body.id);
  await upsert({ matchOn: 'domain', name: 'X' }, 400);
  await upsert({ matchOn: 'domain', domain: freshDomain() }, 400);
});

test('a change of a company is refused when one transaction does not take it', async () => {
  const other = await newWorkspace();
  const slugs = Array.from({ length: 20 }, (_, index) => `u${index}`);
  for (const slug of slugs) {
    const field = { object: 'company', slug, title: slug, type: 'text', isUnique: true };
    await other.live.post('/v1/fields', field, 201);
  }
  const given = (value: string) => ({
    fields: Object.fromEntries(slugs.map((slug) => [slug, value])),
    domains: Array.from({ length: 20 }, freshDomain),
  });
  const { body } = await other.live.post('/v1/companies', { name: 'Full', ...given('a') }, 201);
  const path = `/v1/companies/${body.id}`;
  const { fields, domains } = given('b');
  expect((await other.live.patch(path, { fields, domains }, 400)).body.details).toMatchObject(
    because('batch_too_large'),
  );
  await other.live.patch(path, { fields }, 200);
  expect((await other.live.patch(path, { domains }, 200)).body.domains).toEqual(domains);
});

test('a contact shows the name of its primary company, and follows a rename', async () => {
  const [a, b] = [await create({ name: 'First' }), await create({ name: 'Second' })];
  const { id } = await contact({ company: 'Text' });
  const put = (items: object[], status = 200) => workspace.live.put(`/v1/contacts/${id}/companies`, { items }, status);
  expect((await put([{ companyId: a.id, title: 'CTO' }, { companyId: b.id }])).body.items).toEqual([
    { companyId: a.id, name: 'First', title: 'CTO', isPrimary: true },
    { companyId: b.id, name: 'Second', title: null, isPrimary: false },
  ]);
  expect(await get(`/v1/contacts/${id}`)).toMatchObject({ company: 'First' });
  expect((await get(`/v1/contacts/${id}`, { include: 'companies' })).companies).toHaveLength(2);
  expect(await get(`/v1/companies/${a.id}`)).toMatchObject({ contactCount: 1 });
  expect((await get('/v1/contacts', { companyId: String(b.id) })).items).toMatchObject([{ id }]);
  expect((await get(`/v1/companies/${b.id}/contacts`)).items).toMatchObject([{ id }]);
  await workspace.live.patch(`/v1/companies/${a.id}`, { name: 'Renamed' }, 200);
  await eventually(
    async () => (await get(`/v1/contacts/${id}`)).company === 'Renamed',
    'the contact shows the new name',
  );
  const byHand = await workspace.live.patch(`/v1/contacts/${id}`, { company: 'By hand' }, 200);
  await workspace.live.patch(`/v1/companies/${a.id}`, { name: 'Renamed again' }, 200);
  await settle();
  for (const shown of [byHand.body, await get(`/v1/contacts/${id}`)])
    expect(shown).toMatchObject({ company: 'By hand' });
  expect(await companiesOf(id)).toEqual([{ companyId: b.id, name: 'Second', title: null, isPrimary: false }]);
  expect(await get(`/v1/companies/${a.id}`)).toMatchObject({ contactCount: 0 });
  await put([{ companyId: b.id, isPrimary: true }]);
  expect(await get(`/v1/contacts/${id}`)).toMatchObject({ company: 'Second' });
  await put([]);
  expect(await get(`/v1/contacts/${id}`)).toMatchObject({ company: null });
  for (const items of [
    [{ companyId: 999_999 }],
    [{ companyId: a.id }, { companyId: a.id }],
    [
      { companyId: a.id, isPrimary: true },
      { companyId: b.id, isPrimary: true },
    ],
  ])
    await put(items, 400);
  const events = await eventsAbout(workspace.id, `contact/${id}`, 5);
  expect(events.map(({ data }) => data.changed)).toEqual([
    undefined,
    ['companies'],
    ['company'],
    ['companies'],
    ['companies'],
  ]);
  const { items } = await get(`/v1/companies/${b.id}/activities`);
  expect(items.map(({ type }: { type: string }) => type)).toEqual(['ContactRemoved', 'ContactAdded', 'Created']);
});

test('an e-mail address links a contact to the company of its domain', async () => {
  const domain = freshDomain();
  const before = await contact({ email: `old@${domain}` });
  const { id } = await create({ name: 'Linked', domains: [domain] });
  await eventually(async () => (await companiesOf(before.id)).length === 1, 'contacts that exist are linked');
  expect(await eventsAbout(workspace.id, `contact/${before.id}`, 2)).toMatchObject([
    { event: 'contact.created' },
    { event: 'contact.updated', data: { changed: ['companies'] } },
  ]);
  const after = await contact({ email: `new@${domain}` });
  expect(after.company).toBe('Linked');
  const later = await contact({ name: 'Later' });
  await workspace.live.patch(`/v1/contacts/${later.id}`, { email: `later@${domain}` }, 200);
  expect(await companiesOf(later.id)).toMatchObject([{ companyId: id, isPrimary: true }]);
  await eventually(async () => (await get(`/v1/companies/${id}`)).contactCount === 3, 'all are counted');
  const text = await contact({ email: `text@${domain}`, company: 'Own words' });
  expect(text.company).toBe('Linked');
});

test('contacts of one company that are made side by side hinder neither each other nor a change of it', async () => {
  const domain = freshDomain();
  const { id } = await create({ domains: [domain] });
  const path = `/v1/companies/${id}`;
  await contact({ email: `first@${domain}` });
  const { headers } = await workspace.live.get(path, {}, 200);
  let commits = 0;
  await between(
    async ({ operation, input }, next) => {
      if (operation === 'TransactWriteItems' && JSON.stringify(input).includes(`slow@${domain}`)) {
        commits += 1;
        if (commits === 1) await contact({ email: `fast@${domain}` });
      }
      return next();
    },
    () => contact({ email: `slow@${domain}` }),
  );
  expect(commits).toBe(1);
  await workspace.live.patch(path, { notes: 'Large' }, 200, { 'if-match': String(headers['etag']) });
  expect(await get(path)).toMatchObject({ contactCount: 3, notes: 'Large' });
});

test('an e-mail address links no contact that has a company', async () => {
  const domain = freshDomain();
  const [own, other] = [await create({ name: 'Own' }), await create({ name: 'Other', domains: [domain] })];
  const { id } = await contact();
  await workspace.live.put(`/v1/contacts/${id}/companies`, { items: [{ companyId: own.id }] }, 200);
  await workspace.live.patch(`/v1/contacts/${id}`, { email: `ada@${domain}` }, 200);
  expect(await companiesOf(id)).toMatchObject([{ companyId: own.id }]);
  await workspace.live.patch(`/v1/companies/${other.id}`, { domains: [domain, freshDomain()] }, 200);
  await settle();
  expect(await companiesOf(id)).toMatchObject([{ companyId: own.id }]);
});

test('a contact has at most ten companies, also after a merge', async () => {
  const companies: { id: number }[] = [];
  for (let at = 0; at < 11; at += 1) companies.push(await create({ name: `One of many ${at}` }));
  const [target, source] = [await contact(), await contact()];
  const put = (id: number, of: typeof companies, status: number) =>
    workspace.live.put(`/v1/contacts/${id}/companies`, { items: of.map((one) => ({ companyId: one.id })) }, status);
  const refused = await put(target.id, companies, 400);
  expect(refused.body.details.fields).toMatchObject([{ field: 'items', code: 'too_many' }]);
  await put(target.id, companies.slice(0, 10), 200);
  await put(source.id, companies.slice(10), 200);
  const { body } = await workspace.live.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id }, 409);
  expect(body.details).toMatchObject({ ...because('limit_reached'), limit: 10 });
});

test('companies are listed by assignee, ids, and time', async () => {
  const { memberId } = workspace;
  const [mine, nobodys] = [await create({ assignedToUserId: memberId }), await create()];
  const ids = async (query: Record<string, string>) =>
    (await get('/v1/companies', { ids: `${mine.id},${nobodys.id}`, ...query })).items.map(
      (one: { id: number }) => one.id,
    );
  expect(await ids({})).toEqual([nobodys.id, mine.id]);
  expect(await ids({ assignedToUserId: String(memberId) })).toEqual([mine.id]);
  expect(await ids({ assignedToUserId: 'none' })).toEqual([nobodys.id]);
  expect(await ids({ limit: '1', after: String(nobodys.id) })).toEqual([mine.id]);
  for (const since of ['createdSince', 'updatedSince']) {
    expect(await ids({ [since]: mine.createdAt })).toEqual([nobodys.id, mine.id]);
    expect(await ids({ [since]: '2100-01-01T00:00:00Z' })).toEqual([]);
  }
});

test('changes of a company are events and lines of its history', async () => {
  const company = await create({ name: 'Changed' });
  const path = `/v1/companies/${company.id}`;
  for (let again = 0; again < 2; again += 1) await workspace.live.patch(path, { website: 'https://a.com' }, 200);
  for (const assignedToUserId of [workspace.memberId, null])
    await workspace.live.patch(path, { assignedToUserId }, 200);
  await workspace.live.patch(`${path}/metadata`, { metadata: { changed: '1' } }, 200);
  await workspace.live.post('/v1/fields', { object: 'company', slug: 'seats', title: 'Seats', type: 'number' }, 201);
  await workspace.live.patch(`${path}/fields`, { fields: { seats: 7 } }, 200);
  const note = (await workspace.live.post(`${path}/activities`, { text: 'Hello' }, 201)).body;
  const source = await create({ name: 'Changed' });
  await workspace.live.post(`${path}/merge`, { sourceCompanyId: source.id }, 200);
  const actor = { type: 'api_key', id: expect.any(String) };
  const common = { company_id: String(company.id), actor };
  expect(await eventsAbout(workspace.id, `company/${company.id}`, 8)).toMatchObject([
    { event: 'company.created', data: { ...common, name: 'Changed' } },
    {
      event: 'company.updated',
      data: { ...common, changed: ['website'], changes: { website: { from: null, to: 'https://a.com' } } },
    },
    { event: 'company.updated', data: { ...common, changed: ['assigned_to_user_id'] } },
    { event: 'company.updated', data: { ...common, changed: ['assigned_to_user_id'] } },
    { event: 'company.updated', data: { ...common, changed: ['metadata'] } },
    {
      event: 'company.updated',
      data: { ...common, changed: ['fields.seats'], changes: { 'fields.seats': { from: null, to: 7 } } },
    },
    { event: 'company.note_added', data: { ...common, activity_id: String(note.id), text: 'Hello' } },
    { event: 'company.merged', data: { ...common, source_company_id: String(source.id) } },
  ]);
  const types = async (query: Record<string, string> = {}) =>
    (await get(`${path}/activities`, query)).items.map(({ type }: { type: string }) => type);
  const history = await types();
  for (const type of ['Created', 'FieldUpdated', 'Assigned', 'Unassigned', 'Note']) {
    expect(history).toContain(type);
    expect(new Set(await types({ type }))).toEqual(new Set([type]));
  }
});

test('a merge that would make more than 20 domains is refused', async () => {
  const domains = () => Array.from({ length: 11 }, freshDomain);
  const [target, source] = [await create({ domains: domains() }), await create({ domains: domains() })];
  const merge = { sourceCompanyId: source.id };
  const { body } = await workspace.live.post(`/v1/companies/${target.id}/merge`, merge, 409);
  expect(body.details).toMatchObject({ ...because('limit_reached'), limit: 20 });
});

test('a domain in another alphabet is one domain in each of its spellings', async () => {
  const { id, domains } = await create({ name: 'Books', domains: ['Bücher-At-Work.de', 'xn--bcher-at-work-wob.de'] });
  expect(domains).toEqual(['xn--bcher-at-work-wob.de']);
  const { body } = await workspace.live.post('/v1/companies', { name: 'X', domains: ['www.bücher-at-work.de'] }, 409);
  expect(body.details).toMatchObject({ reason: 'domain_taken', companyId: id });
  const ada = await contact({ email: 'ada@bücher-at-work.de' });
  expect(await companiesOf(ada.id)).toMatchObject([{ companyId: id }]);
  expect((await get('/v1/companies', { domain: 'BÜCHER-at-work.de' })).items).toMatchObject([{ id }]);
});

test('a domain that an upsert names is refused under its own name', async () => {
  const given = { matchOn: 'name', name: 'Inner', domain: 'mail.internal' };
  const { body } = await workspace.live.post('/v1/companies/upsert', given, 400);
  expect(body.details.fields).toMatchObject([{ field: 'domain', code: 'invalid_format' }]);
});

test('a workspace that links nobody by domain says so in its settings', async () => {
  const other = await newWorkspace();
  await transact({ workspaceId: other.id, env: 'live' }, operator, (tx) => patchWorkspace(tx, { linkByDomain: false }));
  const make = async (path: string, body: object) => (await other.live.post(path, body, 201)).body;
  const before = await make('/v1/contacts', { name: 'Ada', email: 'ada@not-linked.com' });
  await make('/v1/companies', { name: 'Engines', domains: ['not-linked.com'] });
  const after = await make('/v1/contacts', { name: 'Bo', email: 'bo@not-linked.com' });
  await settle();
  for (const { id } of [before, after])
    expect((await other.live.get(`/v1/contacts/${id}/companies`)).body.items).toEqual([]);
});

test('a provider of free mail links nobody', async () => {
  await create({ name: 'Mail provider', domains: ['gmail.com'] });
  const { id } = await contact({ email: 'ada@gmail.com' });
  expect(await companiesOf(id)).toEqual([]);
});

test('a deal takes the primary company of its contact, and counts while it is open', async () => {
  const [a, b] = [await create({ name: 'Buyer' }), await create({ name: 'Other' })];
  const { id } = await contact();
  await workspace.live.put(`/v1/contacts/${id}/companies`, { items: [{ companyId: a.id }] }, 200);
  const deal = (await workspace.live.post('/v1/deals?include=company', { title: 'D', contactId: id }, 201)).body;
  expect(deal.company).toEqual({ id: a.id, name: 'Buyer' });
  expect(await get(`/v1/companies/${a.id}`)).toMatchObject({ openDealCount: 1 });
  await workspace.live.patch(`/v1/deals/${deal.id}`, { companyId: b.id }, 200);
  expect((await get('/v1/deals', { companyId: String(b.id) })).items).toMatchObject([{ id: deal.id }]);
  expect(await get(`/v1/companies/${a.id}`)).toMatchObject({ openDealCount: 0 });
  await workspace.live.post(`/v1/deals/${deal.id}/stage`, { stage: 'lost' }, 200);
  expect(await get(`/v1/companies/${b.id}`)).toMatchObject({ openDealCount: 0 });
  await workspace.live.patch(`/v1/deals/${deal.id}`, { companyId: 999_999 }, 400);
});

test('a merged company gives domains, contacts, deals, and values to the other one', async () => {
  const [first, second] = [freshDomain(), freshDomain()];
  for (const slug of ['both', 'taken', 'missing'])
    await workspace.live.post('/v1/fields', { object: 'company', slug, title: slug, type: 'text' }, 201);
  const target = await create({
    name: 'Target',
    domains: [first],
    website: 'https://target.com',
    metadata: { same: 'own' },
    fields: { both: 'own' },
  });
  const source = await create({
    name: 'Source',
    domains: [second],
    website: 'https://source.com',
    notes: 'N',
    metadata: { k: 'v', same: 'other' },
    fields: { both: 'other', taken: 'T' },
  });
  await workspace.live.post(`/v1/companies/${source.id}/activities`, { text: 'Of the source' }, 201);
  const [one, both] = [await contact(), await contact()];
  await workspace.live.put(
    `/v1/contacts/${one.id}/companies`,
    { items: [{ companyId: source.id, title: 'CEO' }] },
    200,
  );
  const items = [{ companyId: source.id }, { companyId: target.id }];
  await workspace.live.put(`/v1/contacts/${both.id}/companies`, { items }, 200);
  const deal = (await workspace.live.post('/v1/deals', { title: 'D', companyId: source.id }, 201)).body;
  const path = `/v1/companies/${target.id}/merge`;
  const merged = (await workspace.live.post(`${path}?include=fields`, { sourceCompanyId: source.id }, 200)).body;
  expect(merged).toMatchObject({ name: 'Target', domains: [first, second], website: 'https://target.com', notes: 'N' });
  const fields = { both: 'own', taken: 'T', missing: null };
  expect(merged.fields).toMatchObject(fields);
  expect((await get(`/v1/companies/${target.id}/fields`)).fields).toMatchObject(fields);
  await workspace.live.get(`/v1/companies/${source.id}`, {}, 404);
  await eventually(
    async () => (await get(`/v1/companies/${target.id}`)).contactCount === 2,
    'the contacts are counted',
  );
  expect(await companiesOf(one.id)).toEqual([{ companyId: target.id, name: 'Target', title: 'CEO', isPrimary: true }]);
  expect(await companiesOf(both.id)).toEqual([{ companyId: target.id, name: 'Target', title: null, isPrimary: true }]);
  expect(await get(`/v1/contacts/${one.id}`)).toMatchObject({ company: 'Target' });
  expect((await get(`/v1/deals/${deal.id}`, { include: 'company' })).company).toEqual({
    id: target.id,
    name: 'Target',
  });
  expect(await get(`/v1/companies/${target.id}`)).toMatchObject({ openDealCount: 1 });
  expect((await get(`/v1/companies/${target.id}/metadata`)).metadata).toEqual({ k: 'v', same: 'own' });
  const { items: notes } = await get(`/v1/companies/${target.id}/activities`, { type: 'Note' });
  const text = expect.stringContaining('\nwebsite: https://source.com\nmetadata.same: other');
  expect(notes).toMatchObject([{ text }, { text: 'Of the source', companyId: target.id }]);
  await workspace.live.post(`/v1/companies/${target.id}/merge`, { sourceCompanyId: target.id }, 400);
});

test('a merged company is shown as the other one before its contacts and deals have followed', async () => {
  const domain = freshDomain();
  const [target, source] = [await create({ name: 'Target' }), await create({ name: 'Source', domains: [domain] })];
  const items = Array.from({ length: 60 }, (_, at) => ({ op: 'create', name: 'Ada', email: `a${at}@${domain}` }));
  await workspace.live.post('/v1/contacts/batch', { items }, 200);
  const ids = (await get(`/v1/companies/${source.id}/contacts`, { limit: '100' })).items.map(
    (one: { id: number }) => one.id,
  );
  expect(ids).toHaveLength(60);
  const both = [
    { companyId: target.id, title: 'CTO' },
    { companyId: source.id, title: 'CEO', isPrimary: true },
  ];
  await workspace.live.put(`/v1/contacts/${ids[0]}/companies`, { items: both }, 200);
  const deal = (await workspace.live.post('/v1/deals', { title: 'D', companyId: source.id }, 201)).body;
  const read = async () => {
    const query = { ids: ids.join(','), include: 'companies', limit: '100' };
    const contacts: { companies: object[] }[] = (await get('/v1/contacts', query)).items;
    const { company } = await get(`/v1/deals/${deal.id}`, { include: 'company' });
    return { company, companies: contacts.map(({ companies }) => companies) };
  };
  const seen: Awaited<ReturnType<typeof read>>[] = [];
  await between(
    async ({ operation, input }, next) => {
      const answer = await next();
      const isFirst = operation === 'TransactWriteItems' && JSON.stringify(input).includes('merged-company');
      if (isFirst) seen.push(await read());
      return answer;
    },
    () => workspace.live.post(`/v1/companies/${target.id}/merge`, { sourceCompanyId: source.id }, 200),
  );
  await settle();
  seen.push(await read());
  expect(seen).toHaveLength(2);
  const own = { companyId: target.id, name: 'Target', isPrimary: true };
  for (const { company, companies } of seen) {
    expect(company).toEqual({ id: target.id, name: 'Target' });
    expect(companies).toEqual([[{ ...own, title: 'CTO' }], ...Array(59).fill([{ ...own, title: null }])]);
  }
});

test('a merge keeps every text that the target does not take, in as many notes as it needs', async () => {
  const notes = 'n'.repeat(10_000);
  const target = await create({ name: 'Target', notes: 'own' });
  const source = await create({ name: 'Source', notes });
  await workspace.live.post(`/v1/companies/${target.id}/merge`, { sourceCompanyId: source.id }, 200);
  const { items } = await get(`/v1/companies/${target.id}/activities`, { type: 'Note' });
  const whole = items.map(({ text }: { text: string }) => text).reverse();
  expect(whole.join('')).toContain(notes);
});

test.each([
  ['Babbage Ltd', 'BABBAGE limited', true],
  ['Müller GmbH & Co. KG', 'Muller', true],
  ['Société Générale S.A.', 'societe generale', true],
  ['Babbage', 'Babbage Sons', false],
])('duplicates have the same name without legal form: %s and %s', async (one, other, isSame) => {
  const [a, b] = [await create({ name: one }), await create({ name: other })];
  const { items } = await get(`/v1/companies/${a.id}/duplicates`, { limit: '100' });
  expect(items.some(({ id }: { id: number }) => id === b.id)).toBe(isSame);
});

test('duplicates share a registrable domain', async () => {
  const domain = freshDomain();
  const [a, b] = [
    await create({ name: 'North', domains: [domain] }),
    await create({ name: 'South', domains: [`uk.${domain}`] }),
  ];
  expect((await get(`/v1/companies/${a.id}/duplicates`)).items).toMatchObject([{ id: b.id }]);
});

test('an erased contact is counted no more, and leaves the history without its name', async () => {
  const company = await create({ name: 'Erasing' });
  const { id } = await contact();
  await workspace.live.put(`/v1/contacts/${id}/companies`, { items: [{ companyId: company.id }] }, 200);
  await workspace.live.post(`/v1/contacts/${id}/erasure`, { confirm: String(id) }, 202);
  await eventually(async () => (await get(`/v1/companies/${company.id}`)).contactCount === 0, 'it is counted no more');
  await eventually(
    async () =>
      (await get(`/v1/companies/${company.id}/activities`)).items.every(
        (one: { contactId: unknown }) => one.contactId === null,
      ),
    'the history forgets it',
  );
});

test('a company takes notes, metadata, and a batch', async () => {
  const { id } = await create();
  const note = (await workspace.live.post(`/v1/companies/${id}/activities`, { text: 'Hello' }, 201)).body;
  expect(note).toMatchObject({ companyId: id, type: 'Note', text: 'Hello' });
  await workspace.live.patch(`/v1/companies/${id}/metadata`, { metadata: { a: '1' } }, 200);
  expect((await get('/v1/companies', { 'metadata.a': '1' })).items).toMatchObject([{ id }]);
  const items = [
    { op: 'create', name: 'From batch' },
    { op: 'update', id, notes: 'N' },
    { op: 'upsert', matchOn: 'name', name: 'from BATCH', address: 'Street 1' },
  ];
  const { body } = await workspace.live.post('/v1/companies/batch', { items }, 200);
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 200, 200]);
  expect(body.results[2].company).toMatchObject({ name: 'from BATCH', address: 'Street 1' });
});

test('the contacts of a company need both scopes', async () => {
  const { id } = await create();
  const { client } = await workspace.mint({ scopes: ['companies:read'] });
  await client.get(`/v1/companies/${id}`, {}, 200);
  await client.get(`/v1/companies/${id}/contacts`, {}, 403);
});

test('a company has the longest name of characters of four bytes, and is found by it', async () => {
  const name = 'A'.padEnd(399, '\u{20000}');
  const company = await create({ name });
  const { body } = await workspace.live.post('/v1/companies/upsert', { matchOn: 'name', name }, 200);
  expect(body.id).toBe(company.id);
  const twin = await create({ name });
  expect((await get(`/v1/companies/${company.id}/duplicates`)).items).toEqual([twin]);
});
