import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, eventually } from '#test/client.ts';
import { startNameServer } from '#test/faults/name-server.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

/** More than one invocation of the worker takes. */
const endpointCount = 12;

let names: Awaited<ReturnType<typeof startNameServer>>;
let isSilent = false;

beforeAll(async () => {
  names = await startNameServer(({ name, type }) => {
    if (name.startsWith('silent')) return isSilent ? undefined : 'NXDOMAIN';
    return type === 'A' ? ['127.0.0.1'] : [];
  });
});
afterAll(() => names.close());

async function register(api: Client, host: string, port: string): Promise<string> {
  const { status, body } = await api.post('/v1/webhooks', {
    url: `http://${host}.example.com:${port}/hook`,
    eventKinds: ['contact.created'],
  });
  expect(status).toBe(201);
  return `/v1/webhooks/${body.id}`;
}

const newestDelivery = async (api: Client, path: string) => (await api.get(`${path}/deliveries`)).body.items[0];

test('endpoints whose name servers are silent let every delivery of another tenant through at once', async () => {
  await using receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  const [{ live: attacker }, { live: innocent }] = await Promise.all([newWorkspace(), newWorkspace()]);
  const path = await register(innocent, `p${names.port}`, port);
  const attacking = await Promise.all(
    Array.from({ length: endpointCount }, (_, index) => register(attacker, `silent${index}.p${names.port}`, port)),
  );
  isSilent = true;
  const before = names.asked.length;
  await attacker.post('/v1/contacts', { name: 'Many' }, 201);
  const asked = () => new Set(names.asked.slice(before).map(({ name }) => name));
  await eventually(async () => asked().size >= endpointCount / 2, 'lookups that are not answered');

  for (let index = 1; index <= 3; index += 1) {
    await innocent.post('/v1/contacts', { name: `Contact ${index}` }, 201);
    await eventually(async () => receiver.received.length === index, 'the delivery');
    const delivery = await eventually(async () => {
      const newest = await newestDelivery(innocent, path);
      return newest?.status !== 'pending' && newest;
    }, 'its result');
    expect(delivery).toMatchObject({ status: 'succeeded', attemptCount: 1 });
  }
  // What asks for the name of a stranger's host is a registration too.
  expect(
    (await attacker.patch(attacking[0] as string, { url: `http://silent.p${names.port}.example.com/` })).status,
  ).toBe(200);
  const failed = await eventually(async () => {
    const newest = await newestDelivery(attacker, attacking[1] as string);
    return newest?.status === 'retrying' && newest;
  }, 'a delivery that failed');
  expect(failed).toMatchObject({ error: 'the name servers of the host did not answer in time' });
  expect((await attacker.get(`${attacking[1]}/deliveries/${failed.id}`)).body.attempts[0]).toMatchObject({
    errorClass: 'dns',
  });
  await Promise.all(attacking.map((one) => attacker.delete(one)));
});

/** The one attempt of a test delivery, as the delivery shows it. */
async function attemptAt(live: Client, url: string) {
  const { body: endpoint } = await live.post('/v1/webhooks', { url, eventKinds: ['contact.created'] }, 201);
  const { body } = await live.post(`/v1/webhooks/${endpoint.id}/test`, {}, 200);
  const { attempts } = (await live.get(`/v1/webhooks/${endpoint.id}/deliveries/${body.delivery.id}`)).body;
  expect(attempts).toHaveLength(1);
  return attempts[0];
}

test('an attempt without an answer, or with one that does not end, is of the class timeout', async () => {
  const { live } = await newWorkspace();
  await using silent = await startReceiver(() => {});
  await using endless = await startReceiver((_, response) => {
    response.writeHead(200, { 'x-endless': 'yes' }).write('and so on');
  });
  expect(await Promise.all([silent, endless].map(({ url }) => attemptAt(live, url)))).toMatchObject([
    { responseStatus: null, errorClass: 'timeout', responseHeaders: {} },
    { responseStatus: 200, errorClass: 'timeout', responseHeaders: { 'x-endless': 'yes' } },
  ]);
});

test('an attempt without a whole answer within five seconds has failed, and waits a minute', async () => {
  await using receiver = await startReceiver((_, response, index) => {
    if (index > 1) return void response.end();
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 500);
    response.on('close', () => clearInterval(drip));
  });
  const { live } = await newWorkspace();
  const { body: endpoint } = await live.post('/v1/webhooks', { url: receiver.url, eventKinds: ['contact.created'] });
  const path = `/v1/webhooks/${endpoint.id}/deliveries`;
  await live.post('/v1/contacts', { name: 'Ada' }, 201);
  const delivery = await eventually(
    async () => (await live.get(path, { status: 'succeeded' })).body.items[0],
    'the second attempt',
  );
  const { attempts } = (await live.get(`${path}/${delivery.id}`)).body;
  expect(attempts[0]).toMatchObject({ responseStatus: 200, error: 'no complete answer within 5000 ms' });
  expect(attempts[0].durationMs).toBeGreaterThanOrEqual(4990);
  const [first, second] = receiver.received;
  // Waits are shortened there: a minute is 600 ms.
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(5000 + 600 - 50);
});
