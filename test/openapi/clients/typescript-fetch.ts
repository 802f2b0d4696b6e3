import { type ApiError, Configuration, ContactStage, ContactsApi, ResponseError, WebhooksApi } from './client';

const { BASE_URL: basePath = '', API_KEY: accessToken = '' } = process.env;
const configuration = new Configuration({ basePath, accessToken });
const contacts = new ContactsApi(configuration);
if (typeof new WebhooksApi(configuration).webhooksCreate !== 'function') throw new Error('no webhooksCreate');

async function listed(): Promise<string[]> {
  const names: string[] = [];
  let after: number | null | undefined;
  do {
    const page = await contacts.contactsList({ limit: 2, ...(after ? { after } : {}) });
    names.push(...page.items.map(({ name }) => name ?? ''));
    after = page.nextCursor;
  } while (after);
  return names;
}

async function refused(call: Promise<unknown>): Promise<{ status: number; error: ApiError }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ResponseError) return { status: error.response.status, error: await error.response.json() };
    throw error;
  }
  throw new Error('not refused');
}

await contacts.contactsCreate({ createContact: { name: 'Ada' } });
const { id } = await contacts.contactsCreate({ createContact: { name: 'Grace' } });
await contacts.contactsCreate({ createContact: { name: 'Hedy' } });
await contacts.contactsPutMetadata({ id, putMetadata: { metadata: { 'ext.id': '7' } } });
const found = await contacts.contactsList({ metadata: { 'ext.id': '7' } });
const moved = await contacts.contactsBatch({
  contactBatch: { items: [{ op: 'update', id, stage: ContactStage.Qualified }] },
});
const merge = await refused(contacts.contactsMerge({ id, mergeContacts: { sourceContactId: 999_999 } }));
const missing = await refused(contacts.contactsGet({ id: 999_999 }));

console.log(
  JSON.stringify({
    listed: await listed(),
    found: found.items.map(({ name }) => name),
    stage: moved.results[0]?.contact?.stage,
    refused: merge.error.details?.fields?.map(({ field, code }) => `${field} ${code}`),
    missing: [missing.status, missing.error.error, missing.error.details],
  }),
);
