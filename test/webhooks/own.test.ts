import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { archived } from '#infra/admin/archive/archive.ts';
import { rowsOfWorkspace } from '#lib/table/scan.ts';
import { eventually } from '#test/client.ts';
import { everyByteOf } from '#test/rows.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const path = '/v1/webhooks';
const value = 'Bearer s3cr3t-of-the-receiver';

test('headers of an endpoint are sent with every delivery and shown by name alone', async () => {
  await using receiver = await startReceiver(({ headers }, response) => {
    response.writeHead(200, { 'x-heard': `${headers.authorization}` }).end(`You said ${headers.authorization}.`);
  });
  const { id: workspaceId, test: client } = await newWorkspace();
  const headers = { Authorization: value, 'X-Team': 'blue' };
  const { body: made } = await client.post(path, { url: receiver.url, headers }, 201);
  expect(made).toMatchObject({ headers: ['Authorization', 'X-Team'], ownSecret: false });
  const own = `${path}/${made.id}`;
  const { body: tested } = await client.post(`${own}/test`, {}, 200);
  await client.post('/v1/contacts', { name: 'Ann' }, 201);
  await eventually(async () => receiver.received.some((one) => one.body.event === 'contact.created'), 'the event');
  for (const one of receiver.received) expect(one.headers).toMatchObject({ authorization: value, 'x-team': 'blue' });
  const { body: delivery } = await client.get(`${own}/deliveries/${tested.delivery.id}`);
  expect(delivery).toMatchObject({
    responseBody: 'You said [redacted].',
    attempts: [{ responseHeaders: { 'x-heard': '[redacted]' } }],
  });
  expect(delivery.requestHeaders).not.toHaveProperty('Authorization');
  const { body: patched } = await client.patch(own, { headers: { authorization: null, 'x-team': 'red' } }, 200);
  expect(patched.headers).toEqual(['x-team']);
  await client.post(`${own}/test`, {}, 200);
  expect(receiver.received.at(-1)?.headers).toMatchObject({ 'x-team': 'red' });
  expect(receiver.received.at(-1)?.headers).not.toHaveProperty('authorization');
  expect((await client.patch(own, { headers: null }, 200)).body.headers).toEqual([]);
  await client.patch(own, { headers }, 200);
  expect(await everyByteOf(workspaceId)).not.toContain('s3cr3t');
});

const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'a']));
const forbidden = [
  'Host',
  'Content-Type',
  'Transfer-Encoding',
  'X-SVC-Event',
  'Webhook-Id',
  'Connection',
  'Keep-Alive',
];

test.each([
  ...[...forbidden, 'Proxy-Authorization', 'TE', 'Trailer', 'Upgrade', 'Expect'].map(
    (name) => [{ [name]: 'a' }, `headers.${name}`, 'not_allowed'] as const,
  ),
  [{ 'X A': 'a' }, 'headers.X A', 'invalid_format'],
  [{ 'X-A': 'a\r\nX-B: b' }, 'headers.X-A', 'invalid_format'],
  [{ 'X-A': 'ä' }, 'headers.X-A', 'invalid_format'],
  [{ 'X-A': 'x'.repeat(1025) }, 'headers.X-A', 'too_long'],
  [{ 'X-A': 1 }, 'headers.X-A', 'invalid_type'],
  [['X-A'], 'headers', 'invalid_type'],
  [{ 'X-A': 'v', 'x-a': 'w' }, 'headers', 'not_allowed'],
  [{ Authorization: 'v', authorization: null }, 'headers', 'not_allowed'],
  [named(11), 'headers', 'too_many'],
] as const)('headers of an endpoint are refused: %j', async (headers, field, code) => {
  const { test: client } = await refusing();
  const { body } = await client.post(path, { url: 'https://example.com/hook', headers }, 400);
  expect(body.details.fields).toEqual([{ field, code, message: expect.any(String) }]);
});

let workspace: ReturnType<typeof newWorkspace> | undefined;
const refusing = () => {
  workspace ??= newWorkspace();
  return workspace;
};

test('an endpoint with its own secret is signed by it and rotated apart from the others', async () => {
  await using receiver = await startReceiver();
  await using other = await startReceiver();
  const { id: workspaceId, test: client } = await newWorkspace();
  const { body: shared } = await client.post(path, { url: other.url }, 201);
  const { body: made } = await client.post(path, { url: receiver.url, ownSecret: true }, 201);
  expect(made).toMatchObject({ ownSecret: true, secretHint: made.secret.slice(-4) });
  expect(made.secret).not.toBe(shared.secret);
  const own = `${path}/${made.id}`;
  const isSigned = async (by: string, from = receiver, id = made.id) => {
    await client.post(`${path}/${id}/test`, {}, 200);
    const { text, headers } = from.received.at(-1) as (typeof from.received)[number];
    return expect(new Webhook(by).verify(text, headers as Record<string, string>)).toBeTruthy();
  };
  await isSigned(made.secret);
  await isSigned(shared.secret, other, shared.id);
  const { body: rotated } = await client.post(`${own}/rotate`, { graceMinutes: 60 }, 200);
  expect(rotated).toMatchObject({ endpointIds: [made.id], secretHint: rotated.secret.slice(-4) });
  expect((await client.get(own)).body).toMatchObject({ secretHint: rotated.secretHint });
  await isSigned(rotated.secret);
  await isSigned(made.secret);
  await isSigned(shared.secret, other, shared.id);
  const { body: all } = await client.post(`${path}/${shared.id}/rotate`, {}, 200);
  expect(all.endpointIds).toEqual([shared.id]);
  await isSigned(rotated.secret);
  await client.post('/v1/contacts', { name: 'Ann' }, 201);
  await eventually(async () => receiver.received.some((one) => one.body.event === 'contact.created'), 'the event');
  const event = receiver.received.find((one) => one.body.event === 'contact.created');
  new Webhook(rotated.secret).verify(event?.text ?? '', event?.headers as Record<string, string>);
  const refused = await client.patch(own, { ownSecret: false }, 400);
  expect(refused.body.details.fields).toMatchObject([{ field: 'ownSecret', code: 'not_allowed' }]);
  const bytes = await everyByteOf(workspaceId);
  for (const { secret } of [made, rotated]) expect(bytes).not.toContain(secret);
});

test('an archive has neither the headers nor the secret of an endpoint', async () => {
  const { id: workspaceId, test: client } = await newWorkspace();
  const body = { url: 'https://example.com/hook', headers: { 'X-A': value }, ownSecret: true };
  const { id } = (await client.post(path, body, 201)).body;
  const rows = [];
  for await (const row of rowsOfWorkspace(workspaceId)) if ('signing' in row) rows.push(row);
  expect(rows).toMatchObject([{ id, headers: [{ name: 'X-A' }], signing: { secretHint: expect.any(String) } }]);
  expect(rows.map((row) => archived(workspaceId, row))).toMatchObject([{ headers: [], signing: null }]);
});
