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
  await Promise.all(attacking.map((one) => attacker.delete(one)));
});
