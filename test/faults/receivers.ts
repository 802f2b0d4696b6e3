import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { startNameServer } from '#test/faults/name-server.ts';
import type { Random } from '#test/faults/random.ts';
import { type Answering, type Received, startReceiver } from '#test/webhooks/receiver.ts';

/** Every way in which the receivers misbehave. Each ends by itself: the sender is to give up, not we. */
const misbehaviours = {
  // It has taken the delivery: a sender that is killed before the answer does not know.
  late: (_, response) => void setTimeout(() => response.end('ok'), 1_500),
  gone: (_, response) => response.writeHead(410).end(),
  'server error': (_, response) => response.writeHead(500).end('no'),
  busy: (_, response) => response.writeHead(429, { 'retry-after': '1' }).end(),
  redirect: (_, response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  reset: (_, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('half');
    setTimeout(() => response.destroy(), 20);
  },
  'no answer': (_, response) => setTimeout(() => response.destroy(), 8_000),
  drip: (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 500);
    response.once('close', () => clearInterval(timer));
    setTimeout(() => response.destroy(), 8_000);
  },
  huge: (_, response) => {
    response.writeHead(500);
    response.end(Buffer.alloc(10_000_000, 'x'));
  },
} satisfies Record<string, (received: Received, response: ServerResponse) => void>;

export const quick = ['server error', 'busy', 'redirect', 'reset', 'huge'] as const;
export const slow = ['no answer', 'drip', 'late', 'late', 'late', 'late'] as const;

/** A receiver that treats a share of the deliveries badly until it is calmed, and knows which ones it has taken. */
export async function startBadReceiver(
  random: Random,
  kinds: readonly (keyof typeof misbehaviours)[],
  share: number,
  place: Parameters<typeof startReceiver>[1] = {},
) {
  const taken = new Map<string, { eventId: string; count: number }>();
  const latenciesMs: number[] = [];
  const take = ({ headers, body, atMs }: Received) => {
    const id = headers['webhook-id'] as string;
    const { count } = taken.get(id) ?? { count: 0 };
    taken.set(id, { eventId: body.id, count: count + 1 });
    latenciesMs.push(atMs - Date.parse(body.timestamp));
  };
  const well: Answering = (received, response) => {
    take(received);
    response.end('ok');
  };
  const receiver = await startReceiver((received, response, index) => {
    if (!random.chance(share)) return well(received, response, index);
    const kind = random.pick(kinds);
    if (kind === 'late') take(received);
    return misbehaviours[kind](received, response);
  }, place);
  return {
    url: receiver.url,
    taken,
    /** From the change, to the second, to its arrival. */
    latenciesMs,
    calm: () => receiver.answer(well),
    close: () => receiver[Symbol.asyncDispose](),
  };
}

export type BadReceiver = Awaited<ReturnType<typeof startBadReceiver>>;

/**
 * A receiver with a name (test/faults/names.ts) that leads elsewhere now and then: to an address that no webhook may be sent to,
 * where `trapped` counts who comes. The first question, at the registration, is answered honestly.
 */
export async function startRebindingReceiver(random: Random, share: number) {
  let trapped = 0;
  let lies = 0;
  let asked = 0;
  let isCalm = false;
  const trap = createServer((socket) => {
    trapped += 1;
    socket.destroy();
  });
  // Linux takes a connection to 0.0.0.0 to the first loopback address.
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  const { port } = trap.address() as AddressInfo;
  const host = '127.0.0.2';
  const receiver = await startBadReceiver(random, quick, 0, { host, port });
  const names = await startNameServer(({ type }) => {
    if (type !== 'A') return [];
    asked += 1;
    const isLie = asked > 1 && !isCalm && random.chance(share);
    if (isLie) lies += 1;
    return [isLie ? '0.0.0.0' : host];
  });
  return {
    ...receiver,
    url: `http://p${names.port}.example.com:${port}`,
    get trapped() {
      return trapped;
    },
    get lies() {
      return lies;
    },
    calm() {
      isCalm = true;
    },
    async close() {
      await Promise.all([receiver.close(), names.close(), new Promise((resolve) => trap.close(resolve))]);
    },
  };
}

export type RebindingReceiver = Awaited<ReturnType<typeof startRebindingReceiver>>;

/** Speaks no TLS where TLS is expected. */
export async function startBrokenTls() {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.0 400 this is not TLS\r\n\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
