import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportWorkspace } from '#infra/admin/archive/export.ts';
import { importWorkspace } from '#infra/admin/archive/import.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { type Fate, startBetween } from '#test/client/between.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { mcp } from '#test/mcp/client.ts';
import { startBrowser } from '#test/panel/chromium.ts';
import { openPlace } from '#test/panel/crawl.ts';
import { signedIn } from '#test/panel/member.ts';
import { openPanel } from '#test/panel/signed-in.ts';
import { clientOf, newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { writeExport } from './hubspot.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const [peopleCount, dealCount] = [Number(process.env['PEOPLE'] ?? 60), Number(process.env['DEALS'] ?? 40)];
const waitMs = 1_200_000;

let folder: string;
let workspace: TestWorkspace;
let live: Client;
let wanted: Awaited<ReturnType<typeof writeExport>>;

/** Runs the example as its README says, on the calls that come to a server before the API. */
async function moveIn(key: string, from: string, ...fates: Fate[]) {
  await using between = await startBetween(...fates);
  const env = { ...process.env, CRM_API_URL: between.url, CRM_API_KEY: key };
  const ran = run(process.execPath, ['move-in.ts', from], { cwd: folder, env });
  const { stdout, code } = await ran.then(
    (output) => ({ ...output, code: 0 }),
    (error) => {
      if (error.stderr !== '') throw new Error(`the script fails: ${error.stdout}${error.stderr}`);
      return error as { stdout: string; code: number };
    },
  );
  return { stdout, code, calls: between.calls.length };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-move-in-'));
  workspace = await newWorkspace();
  live = workspace.live;
  await cp(join(root, 'examples/move-in'), folder, { recursive: true });
  await run('npm', ['pack', '--silent', '-w', 'client', '--pack-destination', folder], { cwd: root });
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
  wanted = await writeExport(folder, peopleCount, dealCount);
  const { stdout } = await moveIn(
    workspace.liveKey,
    '.',
    { status: 429, headers: { 'retry-after': '1' }, body: {} },
    'is lost',
  );
  expect(stdout.trim().split('\n')).toEqual([
    `${wanted.companies.length} of ${wanted.companies.length} companies`,
    `${peopleCount} of ${peopleCount} contacts`,
    `${dealCount} of ${dealCount} deals`,
  ]);
}, waitMs);
afterAll(() => rm(folder, { recursive: true, force: true }));

const page = { limit: 100 };
const byRecordId = (items: { fields: { hubspot_id: string } }[]) =>
  new Map<string, Item>(items.map((item) => [item.fields.hubspot_id, item]));
const companyOf = async (client: Client) =>
  byRecordId(await everyItem(client, '/v1/companies', { ...page, include: 'fields' }));

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
type Item = any;
type Board = { name: string; columns: { id: number; name: string; stage: string }[] };

/** Returns the boards with their columns. */
const boardsOf = async (client: Client): Promise<Board[]> => {
  const listed = await everyItem(client, '/v1/pipelines', page);
  return Promise.all(listed.map(async ({ id }) => (await client.get(`/v1/pipelines/${id}`)).body));
};

/** Returns the custom values of a person as the API shows them. */
const valuesOf = (person: (typeof wanted.contacts)[number], companies: Map<string, { id: number }>, memberId: number) =>
  Object.fromEntries([
    ['hubspot_id', person.recordId],
    ...Object.entries(person.fields).map(([slug, value]) => {
      if (typeof value !== 'object' || value === null) return [slug, value];
      if ('company' in value) return [slug, companies.get(String(value.company))?.id];
      return [slug, 'member' in value ? memberId : value];
    }),
  ]);

const included = { companies: 'fields', contacts: 'fields,addresses,companies', deals: 'fields,pipeline,company' };
type Noun = keyof typeof included;

/** Expects every value of the export in a workspace, by the lists that this reads. */
async function expectAll(listOf: (noun: Noun) => Promise<Item[]>, boards: Board[], memberId: number): Promise<void> {
  const companies = byRecordId(await listOf('companies'));
  expect(companies.size).toBe(wanted.companies.length);
  for (const { recordId, employees, ...company } of wanted.companies)
    expect(companies.get(recordId)).toMatchObject({ ...company, fields: { hubspot_id: recordId, employees } });
  const contacts = byRecordId(await listOf('contacts'));
  expect(contacts.size).toBe(peopleCount);
  for (const person of wanted.contacts) {
    const { addresses, companies: linked, fields, name, email, phone, company } = contacts.get(person.recordId);
    const [first, second] = person.addresses;
    expect({ name, email, phone }).toEqual({ name: person.name, email: first?.value, phone: second?.value });
    expect(addresses).toHaveLength(3);
    expect(addresses).toEqual(expect.arrayContaining(person.addresses.map((one) => expect.objectContaining(one))));
    expect(linked).toMatchObject(
      person.companies.map((of, index) => ({
        companyId: companies.get(of).id,
        title: index === 0 ? person.title : null,
        isPrimary: index === 0,
      })),
    );
    expect(company).toBe(linked[0].name);
    expect(fields).toEqual(valuesOf(person, companies, memberId));
  }
  const deals = byRecordId(await listOf('deals'));
  expect(deals.size).toBe(dealCount);
  for (const deal of wanted.deals) {
    const columns = boards.find(({ name }) => name === deal.pipeline)?.columns ?? [];
    const active = columns.filter(({ stage }) => stage !== 'won' && stage !== 'lost');
    expect(deals.get(deal.recordId)).toMatchObject({
      title: deal.title,
      value: deal.value,
      currency: deal.currency,
      expectedCloseAt: `${deal.closeAt}T10:00:00Z`,
      contactId: contacts.get(deal.contact).id,
      company: { id: companies.get(deal.company).id },
      fields: { hubspot_id: deal.recordId, contract_signed: deal.isSigned },
      pipeline: {
        name: deal.pipeline,
        columnName: deal.stage === 'won' ? active.at(-1)?.name : deal.column,
        lostReason: deal.lostReason,
      },
    });
  }
}

/** Expects every value of the export in the lists of the API. */
const expectInApi = async (client: Client, memberId: number) =>
  expectAll(
    (noun) => everyItem(client, `/v1/${noun}`, { ...page, include: included[noun] }),
    await boardsOf(client),
    memberId,
  );

test('every value of the export is in the lists of the API', () => expectInApi(live, workspace.memberId), waitMs);

test(
  'every value of the export is in the results of the MCP tools',
  async () => {
    const { value } = mcp(workspace.liveKey);
    const listOf = async (noun: Noun) => {
      const items: Item[] = [];
      let after: number | null | undefined;
      do {
        const given = { filters: { include: included[noun] }, ...page, ...(after && { after }) };
        const { items: shown, nextCursor } = await value(`${noun}_search`, given);
        items.push(...shown.map(({ fieldValues, ...item }: Item) => ({ ...item, fields: fieldValues })));
        after = nextCursor;
      } while (after);
      return items;
    };
    await expectAll(listOf, (await value('schema_describe', { object: 'deal' })).pipelines, workspace.memberId);
  },
  waitMs,
);

test('the MCP tools that read a person, a company, and a deal show their values', async () => {
  const { value } = mcp(workspace.liveKey);
  const read = async (noun: Noun, recordId: string) => {
    const filter = JSON.stringify({ field: 'fields.hubspot_id', op: 'eq', value: recordId });
    const { items } = await value(`${noun}_search`, { filter });
    return value(`${noun}_get`, { id: items[0].id });
  };
  const companies = await companyOf(live);
  const [person, company, deal] = [wanted.contacts[0], wanted.companies[0], wanted.deals[4]];
  if (!person || !company || !deal) throw new Error('the export is too small');
  const contact = await read('contacts', person.recordId);
  expect(contact.fieldValues).toEqual(valuesOf(person, companies, workspace.memberId));
  expect(contact.addresses.map(({ value: shown }: Item) => shown).sort()).toEqual(
    person.addresses.map(({ value: given }) => given).sort(),
  );
  expect(contact.companies).toMatchObject(person.companies.map((of) => ({ companyId: companies.get(of).id })));
  expect(await read('companies', company.recordId)).toMatchObject({
    name: company.name,
    fields: { hubspot_id: company.recordId, employees: company.employees },
  });
  expect(await read('deals', deal.recordId)).toMatchObject({
    fields: { hubspot_id: deal.recordId, contract_signed: deal.isSigned },
    pipeline: { name: deal.pipeline, columnName: deal.column, lostReason: deal.lostReason },
    company: { id: companies.get(deal.company).id },
  });
});

test('searches of API and MCP find a person by each address and value, and deals by their column', async () => {
  const person = wanted.contacts.at(-1) as (typeof wanted.contacts)[number];
  const found = async (noun: string, filter: object) =>
    (await live.post(`/v1/${noun}/search`, { filter, include: 'fields' }, 200)).body.items;
  for (const { value } of person.addresses) {
    const items = await found('contacts', { field: 'addresses', op: 'eq', value });
    expect(items).toMatchObject([{ name: person.name }]);
  }
  const number = String(person.fields['customer_number']);
  expect(
    await found('contacts', { field: 'fields.customer_number', op: 'eq', value: number.toLowerCase() }),
  ).toMatchObject([{ name: person.name }]);
  const tool = mcp(workspace.liveKey);
  // Every custom value at once: it is found only if each one is there.
  const values = Object.entries(valuesOf(person, await companyOf(live), workspace.memberId));
  const conditions = values.map(([slug, value]) => ({
    field: `fields.${slug}`,
    op: 'eq',
    value: Array.isArray(value) ? value[0] : value,
  }));
  const filter = JSON.stringify({ and: conditions });
  const { items } = await tool.value('contacts_search', { filter });
  expect(items).toMatchObject([
    { name: person.name, company: wanted.companies.find(({ recordId }) => recordId === person.companies[0])?.name },
  ]);
  const lost = wanted.deals.filter(({ column }) => column === 'Not Renewed');
  const board = (await boardsOf(live)).find(({ name }) => name === 'Renewals');
  const columnId = board?.columns.find(({ name }) => name === 'Not Renewed')?.id;
  const { items: deals } = await tool.value('deals_search', {
    filter: JSON.stringify({ field: 'columnId', op: 'eq', value: columnId }),
    limit: 100,
  });
  expect(deals.map(({ title }: { title: string }) => title).sort()).toEqual(lost.map(({ title }) => title).sort());
});

test(
  'the events of creation tell the custom values of each company, person, and deal',
  async () => {
    const companies = await companyOf(live);
    const events = await eventually(async () => {
      const all: { event: string; data: { fields: { hubspot_id: string } } }[] = [];
      for (let since = 0, more = true; more; ) {
        const { body } = await live.get('/v1/events', { since, limit: 100 });
        all.push(...body.items);
        more = body.items.length > 0;
        since = body.items.at(-1)?.sequence ?? since;
      }
      const of = (kind: string) => all.filter(({ event }) => event === kind).map(({ data }) => data);
      return (
        of('deal.created').length >= dealCount && {
          companies: of('company.created'),
          contacts: of('contact.created'),
          deals: of('deal.created'),
        }
      );
    }, 'the events');
    const created = byRecordId(events.companies);
    for (const { recordId, name, domains, employees } of wanted.companies)
      expect(created.get(recordId)).toMatchObject({ name, domains, fields: { hubspot_id: recordId, employees } });
    const people = byRecordId(events.contacts);
    expect(people.size).toBe(peopleCount);
    for (const person of wanted.contacts) {
      const { referred_by, customer_success, ...values } = valuesOf(person, companies, workspace.memberId);
      // Events have ids as text.
      const ids = { referred_by: String(referred_by), customer_success: String(customer_success) };
      expect(people.get(person.recordId).fields).toEqual({ ...values, ...ids });
    }
    const deals = byRecordId(events.deals);
    for (const { recordId, isSigned } of wanted.deals)
      expect(deals.get(recordId).fields).toEqual({ hubspot_id: recordId, contract_signed: isSigned });
  },
  waitMs,
);

test(
  'the export of each person has the values, addresses, companies, and deals',
  async () => {
    const companies = await companyOf(live);
    const contacts = byRecordId(await everyItem(live, '/v1/contacts', { ...page, include: 'fields' }));
    for (const person of wanted.contacts) {
      const { body } = await live.get(`/v1/contacts/${contacts.get(person.recordId).id}/export`, {}, 200);
      expect(body.fields).toEqual(valuesOf(person, companies, workspace.memberId));
      expect(body.addresses.map(({ value }: Item) => value).sort()).toEqual(
        person.addresses.map(({ value }) => value).sort(),
      );
      expect(body.companies.map(({ name }: Item) => name)).toEqual(
        person.companies.map((of) => companies.get(of).name),
      );
      const own = wanted.deals.filter(({ contact }) => contact === person.recordId).toReversed();
      expect(body.deals.map(({ fields }: Item) => fields)).toEqual(
        own.map(({ recordId, isSigned }) => ({ hubspot_id: recordId, contract_signed: isSigned })),
      );
    }
  },
  waitMs,
);

test(
  'the panel shows a person, a company, and a deal with their values',
  async ({ skip }) => {
    const browser = await startBrowser();
    if (!browser) return skip();
    const { page: shown, faults } = await openPanel(browser, (await signedIn(workspace.id)).token);
    const idOf = async (noun: string, recordId: string) => {
      const filter = { field: 'fields.hubspot_id', op: 'eq', value: recordId };
      return (await live.post(`/v1/${noun}/search`, { filter })).body.items[0].id;
    };
    const [person, company, deal] = [wanted.contacts[1], wanted.companies[0], wanted.deals[4]];
    if (!person || !company || !deal) throw new Error('the export is too small');
    const see = async (path: string, texts: string[]) => {
      await openPlace(shown, path);
      for (const text of texts) await shown.locator('main').getByText(text).filter({ visible: true }).first().waitFor();
    };
    await see(`/contacts/${await idOf('contacts', person.recordId)}`, [
      person.name,
      ...person.addresses.map(({ value }) => value),
      person.title,
      person.recordId,
      'C-1',
      'Say "1", twice',
      'Line one of 1',
      '0.25',
      '-2',
      '€1.50',
      'JP¥100',
      '2 Feb 2024',
      '31 Dec 1951',
      '2 March 2026',
      'Referral',
      'Silver',
      'Support',
      'Pricing',
      'https://linkedin.example/in/1',
      'billing1@books.example',
      '+49 30 5500001',
      wanted.companies[2]?.name ?? '',
      'Ann',
    ]);
    for (const title of ['Opted in', 'VAT registered'])
      expect(await shown.locator('main').getByLabel(title).isChecked(), title).toBe(true);
    await see(`/companies/${await idOf('companies', company.recordId)}`, [
      company.name,
      ...company.domains,
      company.address,
      company.recordId,
      'Number of Employees',
      (wanted.contacts[0] as typeof person).name,
    ]);
    await see(`/deals/${await idOf('deals', deal.recordId)}`, [
      deal.title,
      deal.recordId,
      deal.column,
      String(deal.lostReason),
    ]);
    expect(await shown.locator('main').getByLabel('Contract signed').isChecked()).toBe(deal.isSigned);
    const chosen = () => shown.locator('main select option:checked').allTextContents();
    await expect.poll(chosen).toContain(deal.pipeline);
    expect(faults).toEqual([]);
    await browser.close();
  },
  waitMs,
);

test(
  'an archive of the workspace brings every value to another one',
  async () => {
    const file = join(folder, 'workspace.ndjson');
    const counts = await eventually(
      async () => exportWorkspace(workspace.id, file).catch(() => undefined),
      'the archive',
      waitMs,
    );
    const { id } = await createWorkspace({ name: 'Moved', currency: 'EUR' });
    expect(await importWorkspace(id, file)).toEqual(counts);
    await expectInApi(await clientOf(id), workspace.memberId);
  },
  waitMs,
);

test(
  'a second run changes nothing',
  async () => {
    const latest = async () => (await live.get('/v1/events', { since: 'latest' })).body;
    const stateOf = async () => ({
      contacts: await everyItem(live, '/v1/contacts', { ...page, include: 'fields,addresses,companies,updatedAt' }),
      companies: await everyItem(live, '/v1/companies', { ...page, include: 'fields' }),
      deals: await everyItem(live, '/v1/deals', { ...page, include: 'fields,pipeline,company' }),
      fields: await everyItem(live, '/v1/fields', page),
      boards: await boardsOf(live),
    });
    const [before, event] = [await stateOf(), await latest()];
    const { stdout, calls } = await moveIn(workspace.liveKey, '.');
    expect(stdout).toContain(`${dealCount} of ${dealCount} deals`);
    expect(await stateOf()).toEqual(before);
    expect(await latest()).toEqual(event);
    // No call for a single record.
    expect(calls).toBeLessThan(60 + 4 * Math.ceil((peopleCount + dealCount) / 100));
  },
  waitMs,
);

test('the sample of the example moves in', async () => {
  const { stdout } = await moveIn(workspace.testKey, 'sample');
  expect(stdout.trim().split('\n')).toEqual(['2 of 2 companies', '2 of 2 contacts', '3 of 3 deals']);
});

test('the README shows what the script prints of a refused row', async () => {
  const refused = join(folder, 'refused');
  await cp(join(folder, 'sample'), refused, { recursive: true });
  const file = join(refused, 'contacts.csv');
  const rows = await readFile(file, 'utf8');
  await writeFile(file, rows.replace('+44 20 7946 0018', 'by mail only'));
  const { stdout, code } = await moveIn(workspace.testKey, refused);
  expect(code).toBe(1);
  const shown = /```text\n(?<output>[^`]*)```/.exec(await readFile(join(folder, 'README.md'), 'utf8'))?.groups?.[
    'output'
  ];
  expect(stdout).toBe(shown?.replaceAll('   ', ''));
});
