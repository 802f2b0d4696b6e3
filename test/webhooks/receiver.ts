import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { now } from '#lib/core/clock.ts';

export interface Received {
  headers: IncomingHttpHeaders;
  /** The exact text. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
  body: any;
  atMs: number;
}

export type Answering = (received: Received, response: ServerResponse, index: number) => unknown;

/** A real HTTP server that keeps what it is sent; it answers 200 unless told otherwise. */
export async function startReceiver(
  answering: Answering = (_, response) => response.end('ok'),
  { host = '127.0.0.1', port = 0 } = {},
) {
  const received: Received[] = [];
  let current = answering;
  let inFlight = 0;
  let maxInFlight = 0;
  const server = createServer(async (request, response) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    const atMs = now();
    const text = await textOf(request);
    const one = { headers: request.headers, text, body: JSON.parse(text), atMs };
    received.push(one);
    await current(one, response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    received,
    get maxInFlight() {
      return maxInFlight;
    },
    answer(next: Answering) {
      current = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Answers with a status and a text. */
export const answers =
  (status: number, body = '', headers: Record<string, string> = {}): Answering =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };
