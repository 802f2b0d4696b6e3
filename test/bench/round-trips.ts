import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demoClient } from '#test/bench/demo.ts';
import { atMost, type Line } from '#test/bench/report.ts';
import { startOwnEngine } from '#test/engine.ts';
import { type System, startSystem } from '#test/system.ts';

const addedMs = 20;

/**
 * Sequential DynamoDB round trips per operation, counted at a proxy that adds 20 ms to each call: the longest chain of calls
 * of which each began after the one before had ended.
 */
export async function roundTrips(dataDir: string): Promise<Line[]> {
  const engine = await startOwnEngine(`${dataDir}/measured`);
  const proxy = await startProxy(engine.url);
  const system = await startSystem(`${dataDir}/measured`, { DYNAMODB_ENDPOINT: proxy.url }, []);
  try {
    return await measure(system, proxy, `${dataDir}/measured`);
  } finally {
    await system.stop();
    await engine.stop();
    proxy.close();
  }
}

interface Proxy {
  url: string;
  /** The longest chain of calls since the last time it was asked. */
  depth(): number;
  close(): void;
}

async function measure({ baseUrl }: System, proxy: Proxy, dataDir: string): Promise<Line[]> {
  const client = await demoClient(dataDir, baseUrl);
  const depthOf = async (method: string, path: string, body?: unknown) => {
    // The first call starts the function, which primes itself; a call counts when it is warm and its minute is open.
    const depths: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 800));
      proxy.depth();
      const { status, body: answer } = await client.call(method, path, { body });
      if (status >= 400) throw new Error(`${method} ${path} answers ${status} ${JSON.stringify(answer)}`);
      depths.push(proxy.depth());
    }
    return Math.min(...depths);
  };
  const worst = async (what: string, limit: number, calls: readonly (readonly [string, string, unknown?])[]) => {
    const depths: (readonly [string, number])[] = [];
    for (const [method, path, body] of calls) depths.push([path, await depthOf(method, path, body)]);
    const most = depths.reduce((a, b) => (b[1] > a[1] ? b : a));
    return atMost(what, most[1], limit, '', `${calls.length} operations, the most at ${most[0]}`);
  };
  const first = async (path: string) => `${path}/${(await client.get(path)).body.items[0].id}`;
  const nouns = [
    'contacts',
    'deals',
    'tasks',
    'finance/invoices',
    'finance/transactions',
    'email/threads',
    'sequences',
    'agents',
    'pipelines',
    'members',
    'telegram/accounts',
    'jobs',
  ];
  const lists = nouns.map((noun) => `/v1/${noun}`);
  const name = `bench-${Date.now()}`;
  return [
    await worst(
      'round trips, GET by id',
      1,
      await Promise.all(lists.map(async (path) => ['GET', await first(path)] as const)),
    ),
    await worst(
      'round trips, unfiltered list',
      1,
      lists.map((path) => ['GET', path]),
    ),
    await worst('round trips, filtered list', 2, [
      ['GET', '/v1/contacts?stage=new'],
      ['GET', '/v1/contacts?q=an'],
      ['GET', '/v1/contacts?assignedToUserId=none&stage=new'],
      ['GET', '/v1/deals?stage=lead'],
      ['GET', '/v1/tasks?status=open'],
      ['GET', '/v1/finance/invoices?status=sent'],
      ['GET', '/v1/email/threads?status=open'],
      ['GET', '/v1/jobs?status=sent'],
    ]),
    await worst('round trips, create', 3, [
      ['POST', '/v1/contacts', { name }],
      ['POST', '/v1/deals', { title: name }],
      ['POST', '/v1/tasks', { title: name }],
      ['POST', '/v1/finance/transactions', { type: 'income', amount: 1, currency: 'EUR' }],
      [
        'POST',
        '/v1/telegram/messages',
        {
          accountId: (await client.get('/v1/telegram/accounts')).body.items[0].id,
          telegramUserId: 1,
          text: name,
          runAt: new Date(Date.now() + 864e5).toISOString(),
        },
      ],
    ]),
    await worst('round trips, PATCH', 3, [
      ['PATCH', await first('/v1/contacts'), { name }],
      ['PATCH', await first('/v1/contacts'), { company: name }],
      ['PATCH', await first('/v1/deals'), { title: name }],
      ['PATCH', await first('/v1/tasks'), { title: name }],
    ]),
  ];
}

async function startProxy(target: string): Promise<Proxy> {
  let calls: { start: number; end: number }[] = [];
  const isStream = (operation: string | undefined) => operation?.startsWith('DynamoDBStreams') ?? false;
  const server = createServer((incoming, outgoing) => {
    const operation = incoming.headers['x-amz-target'] as string | undefined;
    const call = { start: performance.now(), end: Number.POSITIVE_INFINITY };
    if (!isStream(operation)) calls.push(call);
    setTimeout(
      () => {
        const forwarded = request(
          target,
          { method: incoming.method, path: incoming.url, headers: incoming.headers },
          (answer) => {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
            answer.pipe(outgoing);
            answer.on('end', () => {
              call.end = performance.now();
            });
          },
        );
        forwarded.on('error', () => outgoing.destroy());
        incoming.pipe(forwarded);
      },
      isStream(operation) ? 0 : addedMs,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    depth() {
      // What still runs when the answer is there belongs to the workers behind it.
      const ended = calls.filter(({ end }) => Number.isFinite(end));
      const depths: number[] = [];
      for (const [index, call] of ended.entries()) {
        const before = ended.slice(0, index).map((other, at) => (other.end <= call.start ? (depths[at] as number) : 0));
        depths.push(1 + Math.max(0, ...before));
      }
      calls = [];
      return Math.max(0, ...depths);
    },
    close: () => server.close(),
  };
}
