import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { conflictOf, countOfItems, type Instead, isWrite, refusal } from '#test/dynamodb.ts';
import type { Random } from '#test/faults/random.ts';

const faults = [
  'server error',
  'server error after the write',
  'throttled',
  'time-out',
  'dropped before',
  'dropped after',
] as const;

/** What only writes meet: another transaction has the item in hand. */
const writeFaults = [...faults, 'conflict'] as const;

type Call = { operation: string; body: Buffer };

/** Longer than the table's client waits. */
const hangMs = 6_000;

/** DynamoDB behind a bad network: it forwards every call, and while it is armed spoils a share of them. */
export async function startProxy(target: string, random: Random, share: number) {
  const agent = new Agent({ keepAlive: true });
  let isArmed = false;
  let injected = 0;
  let conflicting = { naming: '', times: 0 };
  const faultOf = (call: Call) => {
    if (isWrite(call.operation) && conflicting.times > 0 && call.body.includes(conflicting.naming)) {
      conflicting.times -= 1;
      return 'conflict';
    }
    return isArmed && random.chance(share) ? random.pick(isWrite(call.operation) ? writeFaults : faults) : undefined;
  };
  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await buffer(incoming);
      const call = { operation: `${incoming.headers['x-amz-target']}`.split('.')[1] ?? '', body };
      const fault = faultOf(call);
      if (fault) injected += 1;
      if (fault === 'conflict') return conflict(outgoing, call, random);
      if (fault === 'server error') return refuse(outgoing, 500, 'InternalServerError');
      if (fault === 'throttled') return refuse(outgoing, 400, 'ThrottlingException');
      if (fault === 'time-out') await sleep(hangMs, undefined, { ref: false });
      if (fault === 'time-out' || fault === 'dropped before') return incoming.socket.destroy();
      const answer = await forward(target, agent, incoming, body);
      if (fault === 'dropped after') return incoming.socket.destroy();
      if (fault === 'server error after the write') return refuse(outgoing, 500, 'InternalServerError');
      outgoing.writeHead(answer.status, answer.headers).end(answer.body);
    } catch {
      incoming.socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arm(armed: boolean) {
      isArmed = armed;
    },
    /** The next so many writes whose text holds this meet another transaction, armed or not. */
    conflict(naming: string, times: number) {
      conflicting = { naming, times };
    },
    get injected() {
      return injected;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const refuse = (outgoing: ServerResponse, status: number, code: string) =>
  answer(outgoing, { ...refusal(code, 'injected'), status });

/** A single write is refused as such; a transaction is canceled because of one of its items. */
function conflict(outgoing: ServerResponse, { body }: Call, random: Random) {
  const asked = JSON.parse(body.toString());
  answer(outgoing, conflictOf(asked, random.between(0, countOfItems(asked) - 1)));
}

function answer(outgoing: ServerResponse, { status, body }: Instead) {
  outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(JSON.stringify(body));
}

async function forward(target: string, agent: Agent, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { host: _, ...kept } = headers;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const forwarded = request(new URL(url as string, target), { agent, method: method as string, headers: kept });
    forwarded.once('response', resolve).once('error', reject).end(body);
  });
  return { status: answer.statusCode as number, headers: answer.headers, body: await buffer(answer) };
}
