import {
  type AnyEvent,
  type Contact,
  contactsBatch,
  contactsCreate,
  contactsGet,
  contactsList,
  contactsMerge,
  contactsPutMetadata,
  eventsList,
} from './client';
import { client } from './client/client.gen';

const { BASE_URL: baseUrl = '', API_KEY: key = '' } = process.env;
client.setConfig({ baseUrl, auth: key });

async function create(name: string): Promise<Contact> {
  const { data } = await contactsCreate({ body: { name }, throwOnError: true });
  return data;
}

async function* contacts(): AsyncGenerator<Contact> {
  let after: number | null = null;
  do {
    const query: { limit: number; after?: number } = { limit: 2, ...(after === null ? {} : { after }) };
    const { data } = await contactsList({ query, throwOnError: true });
    yield* data.items;
    after = data.nextCursor;
  } while (after !== null);
}

/** The kind says what the data are. */
function nameIn(event: AnyEvent): string | null {
  if ('erased' in event) return null;
  return event.event === 'contact.created' && typeof event.data.name === 'string' ? event.data.name : null;
}

await create('Ada');
const { id } = await create('Grace');
await create('Hedy');
await contactsPutMetadata({ path: { id }, body: { metadata: { 'ext.id': '7' } }, throwOnError: true });
const listed: string[] = [];
for await (const { name } of contacts()) listed.push(name ?? '');
const found = await contactsList({ query: { metadata: { 'ext.id': '7' } } });
const moved = await contactsBatch({ body: { items: [{ op: 'update', id, stage: 'qualified' }] } });
const refused = await contactsMerge({ path: { id }, body: { sourceContactId: 999_999 } });
const missing = await contactsGet({ path: { id: 999_999 } });
const feed = await eventsList({ query: { limit: 100 } });

console.log(
  JSON.stringify({
    listed,
    found: found.data?.items.map(({ name }) => name),
    stage: moved.data?.results[0]?.contact?.stage,
    refused: refused.error?.details?.fields?.map(({ field, code }) => `${field} ${code}`),
    missing: [missing.response?.status, missing.error?.error, missing.error?.details],
    created: feed.data?.items.map(nameIn).filter((name) => name !== null),
  }),
);
