import { beforeAll, expect, test } from 'vitest';
import { api, eventually } from '#test/client.ts';
import { mcp } from '#test/mcp/client.ts';
import { anonymous, signedIn } from '#test/panel/member.ts';
import { place } from '#test/place.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;

beforeAll(async () => {
  workspace = await newWorkspace();
});

test('a list, a GET, a POST, a PATCH, and a DELETE answer over HTTP', async () => {
  const { live } = workspace;
  const { body } = await live.post('/v1/contacts', { name: 'Dora Diaz' }, 201);
  const path = `/v1/contacts/${body.id}`;
  await live.patch(path, { company: 'Archer AG' }, 200);
  expect((await live.get(path, undefined, 200)).body).toMatchObject({ name: 'Dora Diaz', company: 'Archer AG' });
  expect((await live.get('/v1/contacts', { q: 'dora' }, 200)).body.items).toMatchObject([{ id: body.id }]);
  const webhook = (await live.post('/v1/webhooks', { url: 'https://example.com/hook' }, 201)).body;
  await live.delete(`/v1/webhooks/${webhook.id}`, 200);
});

test('a path with two ids, a query that is wrong, and a path that is not there answer over HTTP', async () => {
  const { live } = workspace;
  await live.get('/v1/webhooks/1/deliveries/1', undefined, 404);
  await live.get('/v1/contacts', { limit: 'many' }, 400);
  await live.get('/v1/nowhere', undefined, 404);
  await live.put('/v1/contacts', {}, 405);
});

test('the public paths answer over HTTP without a key', async () => {
  await anonymous().get('/healthz', undefined, 200);
  const document = await fetch(new URL('/openapi.json', place('baseUrl')));
  expect(Object.keys(((await document.json()) as { paths: object }).paths).length).toBeGreaterThan(50);
  for (const path of ['/panel/', '/docs/']) {
    const page = await fetch(new URL(path, place('baseUrl')));
    expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, expect.stringContaining('html')]);
  }
});

test('a request without a key, with a bad body, and with a body of another kind is refused over HTTP', async () => {
  await api().get('/v1/contacts', undefined, 401);
  await workspace.live.post('/v1/contacts', '{"name":', 400);
  await workspace.live.post('/v1/contacts', { name: 7 }, 400);
});

test('a member signs in, and an agent calls a tool over HTTP', async () => {
  const member = await signedIn(workspace.id);
  await member.get('/v1/contacts', undefined, 200);
  const { value } = await mcp(workspace.liveKey).call('contacts_search', {});
  expect(value.items.length).toBeGreaterThan(0);
});

test('a change is delivered to a webhook with its signature', async () => {
  await using receiver = await startReceiver();
  await workspace.live.post('/v1/webhooks', { url: receiver.url, eventKinds: ['deal.created'] }, 201);
  const { body } = await workspace.live.post('/v1/deals', { title: 'Twenty seats' }, 201);
  await eventually(async () => receiver.received.length > 0, 'the delivery');
  const [first] = receiver.received;
  expect(first?.body.event).toBe('deal.created');
  expect(JSON.stringify(first?.body.data)).toContain(body.title);
  expect(first?.headers['webhook-signature']).toMatch(/^v1,/);
});
