import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, createClient } from 'crm-api-client';

const { CRM_API_URL = 'http://127.0.0.1:3000', CRM_API_KEY } = process.env;
const [folder = 'sample'] = process.argv.slice(2);
type Row = Record<string, string | undefined>;
// biome-ignore lint/suspicious/noExplicitAny: paths are made of nouns, so the client cannot tell their types.
type Body = any;
type Taken = [row: Row, id: number][];
// The client waits as long as Retry-After says. All attempts of a write have one key, so it is done once.
const crm: Body = createClient({ baseUrl: CRM_API_URL, apiKey: CRM_API_KEY ?? '', maxRetries: 9 });
/** Ids by the words that the export has for them: `company 101` by its Record ID, `member ada@example.com` by e-mail address. */
const ids = new Map<string, number>();

/** Returns the rows of a CSV file by their headers. Text in quotes may hold commas and line breaks. */
async function readRows(name: string): Promise<Row[]> {
  const text = (await readFile(join(folder, `${name}.csv`), 'utf8')).replace(/^\ufeff/, '').trimEnd();
  const lines: string[][] = [[]];
  for (const [, cell = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/g)) {
    lines.at(-1)?.push((cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell).trim());
    if (end?.endsWith('\n')) lines.push([]);
  }
  const [header = [], ...rest] = lines;
  return rest.map((cells) => Object.fromEntries(header.map((column, index) => [column, cells[index] || undefined])));
}

/** Prints why a row is not as the export has it. */
function report(place: string, { message, details }: Body): void {
  process.exitCode = 1;
  console.log(`${place}: ${details?.fields?.map((one: Body) => one.message).join('; ') ?? message}`);
}

/** Waits for a change. A refusal is printed, unless it says that the change was made before. */
const change = (place: string, made: Promise<unknown>) =>
  made.catch((error) => {
    if (!(error instanceof ApiError) || [401, 403].includes(error.status)) throw error;
    if (!['address_exists', 'field_slug_taken'].includes(error.reason ?? '')) report(place, error);
  });
const batchesOf = <Item>(items: Item[]): Item[][] =>
  items.length === 0 ? [] : [items.slice(0, 100), ...batchesOf(items.slice(100))];
const textsOf = (cell = '') => cell.split(';').flatMap((text) => text.trim() || []);
const numberOf = (cell: string) => (Number.isNaN(Number(cell)) ? cell : Number(cell));
const timeOf = (cell = '') => (/^[\d-]+ [\d:]+$/.test(cell) ? `${cell.replace(' ', 'T')}Z` : cell || undefined);

/** Returns the custom value of a cell. Text that cannot be read goes as it is, so that the API says what is wrong. */
function customValue({ Type, Options }: Row, cell: string | undefined): unknown {
  if (cell === undefined) return undefined;
  if (Type === 'number') return numberOf(cell);
  if (Type === 'money') return { amount: numberOf(cell), currency: Options };
  if (Type === 'checkbox') return /^(true|yes)$/i.test(cell);
  if (Type === 'datetime') return timeOf(cell);
  return Type === 'multi_select' ? textsOf(cell) : (ids.get(`${Type} ${cell}`) ?? cell);
}

/** Writes rows in batches, and returns those that the API has taken. A creation of what is there becomes an update. */
async function writeAll(object: string, noun: string, rows: Row[], toItem: (row: Row) => object): Promise<Taken> {
  const own = fields.filter((field) => field['Object'] === object);
  const valuesOf = (row: Row) => own.map((field) => [field['Slug'], customValue(field, row[field['Column'] ?? ''])]);
  const itemOf = (row: Row): Body => ({ ...toItem(row), fields: Object.fromEntries(valuesOf(row)) });
  const taken: Taken = [];
  const batches = batchesOf(rows.map((row) => ({ row, item: itemOf(row) })));
  for (const batch of batches) {
    const { results } = await crm.post(`/v1/${noun}/batch`, { body: { items: batch.map(({ item }) => item) } });
    const known = batch.flatMap(({ row, item: { op, columnId, ...item } }, index) => {
      const { error, id, [object]: record } = results[index];
      const isKnown = op === 'create' && error?.details?.field === 'hubspot_id';
      if (error === null) taken.push([row, record?.id ?? id]);
      else if (!isKnown) report(`${noun}.csv ${row['Record ID']}`, error);
      return isKnown ? [{ row, item: { op: 'update', id: error.details.id, ...item } }] : [];
    });
    batches.push(...batchesOf(known));
  }
  for (const [row, id] of taken) ids.set(`${object} ${row['Record ID']}`, id);
  console.log(`${taken.length} of ${rows.length} ${noun}`);
  return taken;
}

/** Yields each row that the API has taken with the record as it is. */
async function* recordsOf(path: string, rows: Taken): AsyncGenerator<[row: Row, record: Body]> {
  for (const batch of batchesOf(rows)) {
    const { items } = await crm.get(`${path}&limit=100&ids=${batch.map(([, id]) => id)}`);
    for (const [row, id] of batch) yield [row, items.find((one: Body) => one.id === id)];
  }
}
const files = ['fields', 'pipelines', 'companies', 'contacts', 'deals'].map(readRows);
const [given = [], stages = [], companies = [], contacts = [], deals = []] = await Promise.all(files);
const recordId = { Column: 'Record ID', Slug: 'hubspot_id', Type: 'text', Unique: 'true' };
const fields: Row[] = [...['company', 'contact', 'deal'].map((object) => ({ Object: object, ...recordId })), ...given];
for await (const { email, id } of crm.list('/v1/members')) ids.set(`member ${email}`, id);
for (const { Object: object, Column: title, Slug: slug, Type: type, Options, Unique } of fields) {
  const options = type?.endsWith('select') && { options: textsOf(Options).map((label) => ({ label })) };
  const body = { object, slug, title, type, isUnique: Unique === 'true', ...options };
  await change(`fields.csv ${slug}`, crm.post('/v1/fields', { body }));
}
const boards = new Map<string, Body>();
for await (const { name, id } of crm.list('/v1/pipelines')) ids.set(`board ${name}`, id);
for (const [name, rows = []] of Object.entries(Object.groupBy(stages, (row) => row['Pipeline'] ?? ''))) {
  const columns = rows.map((row) => ({ name: row['Deal Stage'], stage: row['Stage'] }));
  const [id, body] = [ids.get(`board ${name}`), { name, columns }];
  boards.set(name, await (id ? crm.get(`/v1/pipelines/${id}`) : crm.post('/v1/pipelines', { body })));
}
/** Returns the columns of a deal: that in which it begins, and its own. A deal is won only by a member, in the panel. */
function columnsOf(row: Row) {
  const columns: Body[] = boards.get(row['Pipeline'] ?? '')?.columns ?? [];
  const own = columns.find(({ name }) => name === row['Deal Stage']);
  if (!own) throw new Error(`deals.csv ${row['Record ID']}: its board has no column ${row['Deal Stage']}`);
  const first = /won|lost/.test(own.stage) ? columns.findLast(({ stage }) => !/won|lost/.test(stage)) : own;
  return { first: first.id, own: own.stage === 'won' ? first.id : own.id };
}
const companyOf = (recordId = '') => ids.get(`company ${recordId}`) ?? (recordId || undefined);
const upsert = { op: 'upsert', matchOn: 'fields.hubspot_id' };
await writeAll('company', 'companies', companies, (row) => {
  const domains = textsOf(row['Company Domain Name']);
  return { ...upsert, name: row['Company name'], domains, phone: row['Phone Number'], address: row['Street Address'] };
});
const people = await writeAll('contact', 'contacts', contacts, (row) => {
  const name = `${row['First Name'] ?? ''} ${row['Last Name'] ?? ''}`.trim();
  return { ...upsert, name, email: row['Email'], phone: row['Phone Number'] };
});
for await (const [row, contact] of recordsOf('/v1/contacts?include=addresses,companies', people)) {
  const [place, path] = [`contacts.csv ${row['Record ID']}`, `/v1/contacts/${contact.id}`];
  const emails = textsOf(row['Additional email addresses']).map((value) => ({ kind: 'email', value }));
  const phones = textsOf(row['Mobile Phone Number']).map((value) => ({ kind: 'phone', value, label: 'mobile' }));
  const known = new Set(contact.addresses.map(({ value }: Body) => value));
  for (const body of [...emails, ...phones].filter(({ value }) => !known.has(value)))
    await change(place, crm.post(`${path}/addresses`, { body }));
  const [title = null, companyIds] = [row['Job Title'], textsOf(row['Associated Company IDs']).map(companyOf)];
  const items = companyIds.map((companyId, index) => ({ companyId, title: index === 0 ? title : null }));
  const linked = contact.companies.map(({ companyId, title }: Body) => ({ companyId, title }));
  if (JSON.stringify(items) !== JSON.stringify(linked))
    await change(place, crm.put(`${path}/companies`, { body: { items } }));
}
const sales = await writeAll('deal', 'deals', deals, (row) => ({
  op: 'create',
  title: row['Deal Name'],
  value: numberOf(row['Amount'] ?? '0'),
  currency: row['Currency'],
  expectedCloseAt: timeOf(row['Close Date']),
  contactId: ids.get(`contact ${row['Associated Contact IDs']}`),
  companyId: companyOf(row['Associated Company IDs']),
  columnId: columnsOf(row).first,
}));
for await (const [row, { id, pipeline }] of recordsOf('/v1/deals?include=pipeline', sales)) {
  const body = { columnId: columnsOf(row).own, lostReason: row['Closed Lost Reason'] };
  if (pipeline.columnId !== body.columnId)
    await change(`deals.csv ${row['Record ID']}`, crm.post(`/v1/deals/${id}/column`, { body }));
}
