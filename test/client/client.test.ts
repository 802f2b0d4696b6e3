import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type AnyEvent,
  ApiError,
  type CrmClient,
  createClient,
  verifyWebhook,
  WebhookVerificationError,
} from '#client/index.ts';
import { type Fate, startBetween } from '#test/client/between.ts';
import { settle } from '#test/harness.ts';
import { place } from '#test/place.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let crm: CrmClient;
beforeAll(async () => {
  workspace = await newWorkspace();
  crm = createClient({ baseUrl: place('baseUrl'), apiKey: workspace.liveKey });
});

const refusalOf = (call: Promise<unknown>): Promise<ApiError> =>
  call.then(
    () => expect.fail('the call was not refused'),
    (error) => {
      expect(error).toBeInstanceOf(ApiError);
      return error;
    },
  );

test('a call answers the body of a 2xx', async () => {
  const { id } = await crm.post('/v1/contacts', { body: { name: 'Ada', email: 'ada@example.com' } });
  const path = { id };
  expect(await crm.patch('/v1/contacts/{id}', { params: { path }, body: { name: 'Ada King' } })).toMatchObject({ id });
  expect((await crm.get('/v1/contacts/{id}', { params: { path } })).name).toBe('Ada King');
  const metadata = { 'ext.id': '7' };
  await crm.put('/v1/contacts/{id}/metadata', { params: { path }, body: { metadata } });
  expect((await crm.get('/v1/contacts', { params: { query: { metadata } } })).items).toMatchObject([{ id }]);
});

test('the key may be asked for before every call', async () => {
  const asked = createClient({ baseUrl: place('baseUrl'), apiKey: async () => workspace.liveKey });
  expect(workspace.liveKey).toContain((await asked.get('/v1/me')).apiKey.keyId);
});

describe('a refused call throws an ApiError', () => {
  test('with the envelope, the reason and the id of the request', async () => {
    const missing = await refusalOf(crm.get('/v1/contacts/{id}', { params: { path: { id: 999_999 } } }));
    expect(missing).toMatchObject({ status: 404, code: 'not_found', details: null, reason: null, fields: [] });
    expect(missing.requestId).toMatch(/^\S{20,}$/);
    const bad = await refusalOf(crm.post('/v1/deals', { body: { title: '' } as never }));
    expect(bad.fields).toContainEqual(expect.objectContaining({ field: 'title' }));
    const stranger = createClient({ baseUrl: place('baseUrl'), apiKey: 'csk_live_unknown' });
    expect(await refusalOf(stranger.get('/v1/me'))).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  test('where something else has answered, too', async () => {
    await using between = await startBetween({ status: 413, headers: { 'content-type': 'text/html' }, body: '<h1>No' });
    const through = createClient({ baseUrl: between.url, apiKey: workspace.liveKey });
    expect(await refusalOf(through.get('/v1/me'))).toMatchObject({ status: 413, code: 'internal_error' });
  });
});

describe('a call is tried again', () => {
  const through = (url: string, retries = {}) => createClient({ baseUrl: url, apiKey: workspace.liveKey, ...retries });
  const unavailable: Fate = { status: 503, body: { error: 'internal_error', message: 'Later', details: null } };
  const named = async (q: string) => (await crm.get('/v1/contacts', { params: { query: { q } } })).items;

  test('and a write is done once whose answers were lost', async () => {
    await using between = await startBetween('is lost', unavailable, 'is lost');
    const { id } = await through(between.url).post('/v1/contacts', { body: { name: 'Once' } });
    expect(await named('Once')).toMatchObject([{ id }]);
    const keys = between.calls.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size, keys[0]]).toEqual([4, 1, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  test('under the key that the caller has given', async () => {
    await using between = await startBetween('is lost');
    const headers = { 'Idempotency-Key': 'order 7' };
    await through(between.url).post('/v1/contacts', { body: { name: 'Mine' }, headers });
    expect(between.calls.map((call) => call.headers['idempotency-key'])).toEqual(['order 7', 'order 7']);
  });

  test('while the first one is being worked out', async () => {
    const details = { reason: 'idempotency_in_progress' };
    const running: Fate = {
      status: 409,
      headers: { 'retry-after': '0' },
      body: { error: 'conflict', message: 'Running', details },
    };
    await using between = await startBetween(running);
    await through(between.url).post('/v1/contacts', { body: { name: 'Waited' } });
    expect([between.calls.length, (await named('Waited')).length]).toEqual([2, 1]);
  });

  test('no sooner than it says, and not where that is too long', async () => {
    const limited = (seconds: number): Fate => ({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      body: { error: 'rate_limited', message: 'Slower', details: { retryAfterSeconds: seconds } },
    });
    await using between = await startBetween(limited(1), 'passes', limited(3600));
    const startedMs = Date.now();
    await through(between.url).get('/v1/me');
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(1000);
    const refused = await refusalOf(through(between.url).get('/v1/me'));
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited', retryAfterSeconds: 3600 });
    expect(between.calls).toHaveLength(3);
  });

  test('so often as the caller says, and never where it is refused', async () => {
    await using between = await startBetween(unavailable, unavailable);
    expect(await refusalOf(through(between.url, { maxRetries: 1 }).get('/v1/me'))).toMatchObject({ status: 503 });
    expect(between.calls).toHaveLength(2);
    await refusalOf(through(between.url).get('/v1/contacts/{id}', { params: { path: { id: 999_999 } } }));
    expect(between.calls).toHaveLength(3);
  });

  test('until the caller gives up', async () => {
    await using between = await startBetween(...Array.from({ length: 10 }, () => unavailable));
    const signal = AbortSignal.timeout(300);
    const call = through(between.url, { maxRetries: 10 }).get('/v1/me', { signal });
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

test('a list is read to its end, page by page', async () => {
  const of = await newWorkspace();
  const own = createClient({ baseUrl: place('baseUrl'), apiKey: of.liveKey });
  const items = Array.from({ length: 7 }, (_, index) => ({ op: 'create' as const, name: `Of seven ${index}` }));
  await own.post('/v1/contacts/batch', { body: { items } });
  const ids: number[] = [];
  for await (const { id } of own.list('/v1/contacts', { params: { query: { limit: 3, q: 'of seven' } } })) ids.push(id);
  expect(ids.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  const none: unknown[] = [];
  for await (const message of own.list('/v1/contacts/{id}/messages', { params: { path: { id: 1 } } }))
    none.push(message);
  expect(none).toEqual([]);
});

describe('the feed', () => {
  const namesOf = (events: AnyEvent[]) =>
    events.map((event) => (!('erased' in event) && event.event === 'contact.created' ? event.data.name : event.event));

  test('resumes after a restart and after the API was out of reach', async () => {
    const of = await newWorkspace();
    await using between = await startBetween();
    const own = createClient({ baseUrl: between.url, apiKey: of.liveKey, maxRetries: 0 });
    for (const name of ['One', 'Two', 'Three']) await own.post('/v1/contacts', { body: { name } });
    let kept: number | undefined;
    const position = {
      load: async () => kept,
      save: async (sequence: number) => {
        kept = sequence;
      },
    };
    const read = async (count: number) => {
      const events: AnyEvent[] = [];
      for await (const event of own.events({ position, eventKind: 'contact.created', pollMs: 50 })) {
        events.push(event);
        if (events.length === count) break;
      }
      return namesOf(events);
    };
    expect(await read(2)).toEqual(['One', 'Two']);
    // Nobody has asked for more, so that "Two" may not have been worked off.
    expect(await read(2)).toEqual(['Two', 'Three']);
    const later = read(2);
    between.next('is lost');
    await own.fetch.POST('/v1/contacts', { body: { name: 'Four' } }).catch(() => undefined);
    expect(await later).toEqual(['Three', 'Four']);
  });

  test('ends when its reader says so, and with what will not pass', async () => {
    const stop = new AbortController();
    const reading = (async () => {
      for await (const _ of crm.events({ signal: stop.signal })) stop.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    const stranger = createClient({ baseUrl: place('baseUrl'), apiKey: 'csk_live_unknown' });
    expect(await refusalOf(stranger.events().next())).toMatchObject({ status: 401 });
  });
});

test('a delivery is an event once its signature is right', async () => {
  await using receiver = await startReceiver();
  const { secret } = await crm.post('/v1/webhooks', { body: { url: receiver.url, eventKinds: ['contact.created'] } });
  const { id } = await crm.post('/v1/contacts', { body: { name: 'Signed' } });
  await settle();
  expect(receiver.received.length).toBe(1);
  const [{ text, headers }] = receiver.received as [(typeof receiver.received)[0]];
  const event = verifyWebhook(text, headers, secret as string);
  expect(event).toMatchObject({ event: 'contact.created', data: { contact_id: String(id), name: 'Signed' } });
  expect(verifyWebhook(Buffer.from(text), new Headers(headers as Record<string, string>), secret as string)).toEqual(
    event,
  );
  const forged = text.replace('Signed', 'Forged');
  for (const [given, named] of [
    [JSON.parse(text), 'an object (Object)'],
    [undefined, 'undefined'],
    [null, 'null'],
    [7, 'number'],
    [new ReadableStream(), 'an object (ReadableStream)'],
    [new Headers(), 'an object (Headers)'],
  ] as const)
    expect(() => verifyWebhook(given as never, headers, secret as string)).toThrow(named);
  for (const given of [undefined, null, 'x'])
    expect(() => verifyWebhook(text, given as never, secret as string)).toThrow(WebhookVerificationError);
  const bytes = new TextEncoder().encode(text);
  const pairs = Object.entries(headers as Record<string, string>);
  const ofOtherRealm = runInNewContext('Uint8Array.from(bytes)', { bytes });
  for (const given of [bytes, bytes.buffer, ofOtherRealm, ofOtherRealm.buffer])
    for (const all of [pairs, new Map(pairs), new Headers(pairs), new Headers(pairs).entries()])
      expect(verifyWebhook(given, all, `${secret}\n`)).toEqual(event);
  expect(() => verifyWebhook(text, [1] as never, secret as string)).toThrow(WebhookVerificationError);
  expect(() => verifyWebhook(text, headers, undefined as never)).toThrow(WebhookVerificationError);
  expect(() => verifyWebhook(forged, headers, secret as string)).toThrow(WebhookVerificationError);
  expect(() => verifyWebhook(text, {}, secret as string)).toThrow(WebhookVerificationError);
});

test.each(['', '/', '/v1', '/v1/'])('a base URL may end in "%s"', async (end) => {
  const client = createClient({ baseUrl: `${place('baseUrl')}${end}`, apiKey: workspace.liveKey });
  expect((await client.get('/v1/contacts')).items).toBeInstanceOf(Array);
});
