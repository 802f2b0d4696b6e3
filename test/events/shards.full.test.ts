import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { shardEnd } from '#infra/local/mappings/checkpoint.ts';
import { demoClients } from '#test/bench/demo.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';
import { descendants } from '#test/processes.ts';
import { type System, startSystem } from '#test/system.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';

interface Event {
  id: string;
  sequence: number;
  event: string;
  data: { name: string };
}

const folder = temporaryFolder();
afterAll(folder.remove);

const settings = { STREAM_SHARD_RECORDS: '60', WEBHOOK_RETRY_SCALE: '0.001', RATE_LIMIT_PER_MINUTE: '100000' };
const start = () => startSystem(folder.path, settings, ['--strict']);
const writers = 4;
const contactsEach = 16;
const deadlineMs = 120_000;

/** What the mappings have read of each shard. */
const positions = (): string[][] => {
  const checkpoints = join(folder.path, 'checkpoints');
  return readdirSync(checkpoints)
    .filter((file) => file.endsWith('.json'))
    .map((file) => Object.values(JSON.parse(readFileSync(join(checkpoints, file), 'utf8')).positions));
};
const ended = () => Math.min(...positions().map((of) => of.filter((position) => position === shardEnd).length));

test('events get their numbers, and their deliveries, once and in order while shards split and the system dies amid it', async () => {
  await using receiver = await startReceiver();
  let system: System = await start();
  let clients = await demoClients(folder.path, system.baseUrl);
  try {
    const hooks = await Promise.all(
      clients.map(async (client) => {
        const wanted = { url: receiver.url, eventKinds: ['contact.created'] };
        return (await client.post('/v1/webhooks', wanted)).body.id as number;
      }),
    );
    let written = 0;
    /** Contacts of one tenant, each after the answer to the one before, whatever it takes. */
    const write = async (tenant: 0 | 1, writer: number) => {
      for (let index = 0; index < contactsEach; index += 1) {
        const name = `${writer} ${index}`;
        const headers = { 'Idempotency-Key': `create ${name}` };
        await eventually(
          async () => {
            const answer = await clients[tenant].post('/v1/contacts', { name }, headers).catch(() => undefined);
            return answer?.status === 201;
          },
          `contact ${name}`,
          deadlineMs,
        );
        written += 1;
      }
    };
    const all = Array.from({ length: writers }, (_, writer) => [write(0, writer), write(1, writer)]).flat();
    const writing = Promise.all(all);
    const before = ended();
    const isMidway = () => written >= (all.length * contactsEach) / 2 && ended() > before;
    await eventually(async () => isMidway(), 'another split', deadlineMs);
    const pid = system.process.pid as number;
    const exited = new Promise((resolve) => system.process.once('exit', resolve));
    for (const one of [pid, ...descendants(pid)]) process.kill(one, 'SIGKILL');
    await exited;
    system = await start();
    clients = await demoClients(folder.path, system.baseUrl);
    await writing;
    for (const [index, client] of clients.entries()) {
      const events = await feedOf(client, writers * contactsEach);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, place) => place + 1));
      expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      const byWriter = Map.groupBy(events.filter(isOurs), ({ data }) => data.name.split(' ')[0]);
      for (let writer = 0; writer < writers; writer += 1) {
        const own = byWriter.get(String(writer)) ?? [];
        expect(own.map(({ data }) => data.name)).toEqual(own.map((_, place) => `${writer} ${place}`));
        expect(own).toHaveLength(contactsEach);
      }
      const path = `/v1/webhooks/${hooks[index]}/deliveries`;
      const deliveries = await eventually(
        async () => {
          const items = await everyItem(client, path, { status: 'succeeded' });
          return items.length >= writers * contactsEach && items;
        },
        'the deliveries',
        deadlineMs,
      );
      expect(deliveries).toHaveLength(writers * contactsEach);
      const sent = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id'], body.id]));
      expect(new Set(deliveries.map(({ deliveryId }) => sent.get(deliveryId))).size).toBe(deliveries.length);
    }
    // Shards have been closed again and again, and all that were read to their end before the last has begun.
    expect(ended()).toBeGreaterThan(8);
  } finally {
    await system.stop();
  }
});

/** From the beginning, once so many contacts of ours are in it. */
async function feedOf(client: Client, contacts: number): Promise<Event[]> {
  const events: Event[] = [];
  await eventually(
    async () => {
      const { items } = (await client.get('/v1/events', { since: events.at(-1)?.sequence ?? 0, limit: 100 })).body;
      events.push(...items);
      return events.filter(isOurs).length >= contacts;
    },
    'the events',
    deadlineMs,
  );
  return events;
}

/** What the demo has been filled with is older. */
const isOurs = ({ event, data }: Event) => event === 'contact.created' && /^\d+ \d+$/.test(data.name);
