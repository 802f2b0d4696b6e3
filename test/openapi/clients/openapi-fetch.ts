import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Contact = components['schemas']['Contact'];
type AnyEvent = components['schemas']['AnyEvent'];

const { BASE_URL: baseUrl = '', API_KEY: key } = process.env;
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

async function create(name: string): Promise<Contact> {
  const { data, error } = await api.POST('/v1/contacts', { body: { name } });
  if (error) throw new Error(error.message);
  return data;
}

async function* contacts(): AsyncGenerator<Contact> {
  let after: number | null = null;
  do {
    const query: { limit: number; after?: number } = { limit: 2, ...(after === null ? {} : { after }) };
    const { data, error } = await api.GET('/v1/contacts', { params: { query } });
    if (error) throw new Error(error.message);
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
await api.PUT('/v1/contacts/{id}/metadata', {
  params: { path: { id } },
  body: { metadata: { 'ext.id': '7' } },
});
const listed: string[] = [];
for await (const { name } of contacts()) listed.push(name ?? '');
const found = await api.GET('/v1/contacts', { params: { query: { metadata: { 'ext.id': '7' } } } });
const moved = await api.POST('/v1/contacts/batch', {
  body: { items: [{ op: 'update', id, stage: 'qualified' }] },
});
const refused = await api.POST('/v1/contacts/{id}/merge', {
  params: { path: { id } },
  body: { sourceContactId: 999_999 },
});
const missing = await api.GET('/v1/contacts/{id}', { params: { path: { id: 999_999 } } });
const feed = await api.GET('/v1/events', { params: { query: { limit: 100 } } });

console.log(
  JSON.stringify({
    listed,
    found: found.data?.items.map(({ name }) => name),
    stage: moved.data?.results[0]?.contact?.stage,
    refused: refused.error?.details?.fields?.map(({ field, code }) => `${field} ${code}`),
    missing: [missing.response.status, missing.error?.error, missing.error?.details],
    created: feed.data?.items.map(nameIn).filter((name) => name !== null),
  }),
);
