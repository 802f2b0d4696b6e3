import { ApiError, type CrmClient, createClient } from '#client/index.ts';
import { keptEvents } from '#client/kept-events.ts';
import { hourMs } from '#lib/core/clock.ts';
import { LeftOut, made, must, type Steps } from './steps.ts';

export interface Walk {
  crm: CrmClient;
  baseUrl: string;
  /** Stands in the name of all that the walk makes; clean-up finds it by that. */
  mark: string;
  steps: Steps;
  stop: AbortSignal;
}

/** An event is in the feed within a second or two; then its publisher is stuck. */
const feedTimeoutMs = 60_000;
const noSuchId = 2_147_483_647;

/** Walks the main paths of the API as a customer does, in the sandbox of a test key. */
export async function walk({ crm, baseUrl, mark, steps, stop }: Walk): Promise<void> {
  const newest = await steps.take('find the end of the feed', async () => (await keptEvents(crm.get))?.newest ?? 0);

  const contact = await steps.take('create a contact', () =>
    crm.post('/v1/contacts', { body: { name: mark, platform: 'telegram', username: mark } }),
  );
  const contactId = () => made(contact?.id, 'contact');
  const contactIsIn = async (query: object, how: string) => {
    const wanted = contactId();
    const { items } = await crm.get('/v1/contacts', { params: { query: { limit: 100, ...query } } });
    must(
      items.some(({ id }) => id === wanted),
      `the list ${how} does not have the contact that was just made`,
    );
  };
  await steps.take('get the contact', async () => {
    const { name } = await crm.get('/v1/contacts/{id}', { params: { path: { id: contactId() } } });
    must(name === mark, 'the contact has another name');
  });
  await steps.take('list contacts', () => contactIsIn({}, 'of all'));
  await steps.take('filter contacts', () => contactIsIn({ username: mark }, 'of its username'));
  await steps.take('search contacts', () => contactIsIn({ q: mark.slice(2) }, 'of a part of its name'));
  await steps.take('note and tag the contact', async () => {
    const path = { id: contactId() };
    await crm.post('/v1/contacts/{id}/activities', { params: { path }, body: { text: mark } });
    const tags = await crm.post('/v1/contacts/{id}/tags', { params: { path }, body: { tagName: mark } });
    const tag = tags.find(({ name }) => name === mark);
    must(tag !== undefined, 'the contact does not have its tag');
    await contactIsIn({ tagId: tag.id }, 'of its tag');
  });

  const deal = await steps.take('create and move a deal', async () => {
    const { id } = await crm.post('/v1/deals', { body: { title: mark, contactId: contactId(), value: 1 } });
    const { stage } = await crm.post('/v1/deals/{id}/stage', {
      params: { path: { id } },
      body: { stage: 'qualified' },
    });
    must(stage === 'Qualified', `the deal is ${stage}`);
    const { items } = await crm.get('/v1/deals', { params: { query: { contactId: contactId() } } });
    must(items[0]?.id === id, 'the list of its contact does not have the deal');
    return { id };
  });
  await steps.take('create and finish a task', async () => {
    const dealId = made(deal?.id, 'deal');
    const { id } = await crm.post('/v1/tasks', { body: { title: mark, dealId } });
    const { items } = await crm.get('/v1/tasks', { params: { query: { dealId, status: 'open' } } });
    must(items[0]?.id === id, 'the list of its deal does not have the task');
    await crm.post('/v1/tasks/{id}/status', { params: { path: { id } }, body: { status: 'done' } });
  });

  await steps.take('queue and cancel a message', async () => {
    const query = { status: 'active' as const, limit: 1 };
    const [account] = (await crm.get('/v1/telegram/accounts', { params: { query } })).items;
    if (account === undefined) throw new LeftOut('the sandbox has no active Telegram account');
    const runAt = new Date(Date.now() + hourMs).toISOString();
    const { id } = await crm.post('/v1/telegram/messages', {
      body: { accountId: account.id, contactId: contactId(), text: mark, runAt },
    });
    const { lastError } = await crm.post('/v1/telegram/messages/{id}/cancel', { params: { path: { id } } });
    must(lastError === 'canceled', `what was canceled has the last error ${lastError}`);
  });

  await steps.take('see the event of the contact', async () => {
    const since = made(newest, 'end of the feed');
    const signal = AbortSignal.any([stop, AbortSignal.timeout(feedTimeoutMs)]);
    const found = contactId();
    try {
      for await (const event of crm.events({ since, eventKind: 'contact.created', pollMs: 500, signal }))
        if ('contact_id' in event.data && Number(event.data.contact_id) === found) return;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    must(false, stop.aborted ? 'interrupted' : `the feed does not have it after ${feedTimeoutMs / 1000} s`);
  });
  await steps.take('list the tools of MCP', async () => {
    const answer = await crm.post('/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } });
    const { result } = answer as { result?: { tools?: unknown[] } };
    must((result?.tools?.length ?? 0) > 0, 'there are none');
  });

  await steps.take('404 for what is not there', () =>
    refused(404, 'not_found', crm.get('/v1/contacts/{id}', { params: { path: { id: noSuchId } } })),
  );
  await steps.take('400 that names the field', async () => {
    const { fields } = await refused(400, 'bad_request', crm.post('/v1/deals', { body: { title: '' } }));
    must(
      fields.some(({ field }) => field === 'title'),
      'it does not name the field',
    );
  });
  await steps.take('401 for a key that is none', () => {
    const stranger = createClient({ baseUrl, apiKey: `csk_test_${'0'.repeat(44)}`, maxRetries: 0 });
    return refused(401, 'unauthorized', stranger.get('/v1/me'));
  });
}

/** The refusal, in the envelope and with a request id, that a call should get. */
async function refused(status: number, code: string, call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  must(error !== undefined, 'it is not refused');
  if (!(error instanceof ApiError)) throw error;
  if (error.status !== status || error.code !== code) throw error;
  must(error.requestId !== null, 'the refusal has no request id');
  return error;
}
