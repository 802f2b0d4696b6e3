import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Invoke } from './functions.ts';
import { type Address, foreignnessOf } from './guard.ts';
import { splitTarget, toEvent } from './http/event.ts';
import { apiMessage, type HttpAnswer, toHttpAnswer } from './http/response.ts';
import { routeTable } from './http/routes.ts';
import type { RouteToServe } from './template.ts';

export interface HttpApi {
  url: string;
  /** Starts to serve these routes, in place of those before. Until the first time every request gets a 503. */
  serve(routes: readonly RouteToServe[], invoke: Invoke): void;
  /** Takes no new requests; those at work get `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}

/** More than functions take. Beyond it a body is cut: they refuse it for its size, where API Gateway would from 10 MB on. */
const keptBodyBytes = 2 * 1024 * 1024;
const integrationTimeoutMs = 30_000;
/** Limit for the request line and all header values together (API Gateway developer guide, quotas of HTTP APIs). */
const maxHeadBytes = 10_240;

/** Starts an API Gateway HTTP API in front of functions; rejects when the port is taken. */
export async function startHttpApi({ accountId, ...address }: Address & { accountId: string }): Promise<HttpApi> {
  let match = routeTable([]);
  let invoke: Invoke | undefined;

  async function answer(incoming: IncomingMessage): Promise<HttpAnswer> {
    const body = await readBody(incoming);
    if (headBytes(incoming) > maxHeadBytes) return apiMessage(431, 'Request Header Fields Too Large');
    const refusal = isOfPanel(incoming) ? foreignnessOf(incoming.headers, address) : undefined;
    if (refusal !== undefined) return forbidden(refusal);
    const found = match(incoming.method ?? 'GET', splitTarget(incoming.url ?? '/').path);
    if (!invoke) return unavailable();
    if (!found) return apiMessage(404, 'Not Found');
    const event = JSON.stringify(toEvent({ incoming, body, match: found, accountId }));
    return withinTime(invoke(found.route.functionName, event).then(toHttpAnswer));
  }

  const server = createServer(async (incoming, outgoing) => {
    try {
      send(incoming, outgoing, await answer(incoming));
    } catch (error) {
      if (incoming.destroyed && !incoming.complete) return;
      console.error(error);
      send(incoming, outgoing, apiMessage(500, 'Internal Server Error'));
    }
  });
  server.keepAliveTimeout = 350_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, resolve);
  });

  return {
    url: urlOf(address.host, (server.address() as AddressInfo).port),
    serve(routes, invokeFunction) {
      match = routeTable(routes);
      invoke = invokeFunction;
    },
    close: (graceMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

const headBytes = ({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage) =>
  rawHeaders
    .filter((_, index) => index % 2 === 1)
    .reduce(
      (bytes, value) => bytes + Buffer.byteLength(value, 'latin1'),
      `${method} ${url} HTTP/${httpVersion}`.length,
    );

function withinTime(answer: Promise<HttpAnswer>): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(unavailable()), integrationTimeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The panel's page and operations, and whatever a session of it does. */
const isOfPanel = ({ url = '/', headers }: IncomingMessage) =>
  /^\/panel(\/|$)/.test(splitTarget(url).path) ||
  /^\s*bearer\s+cps_/i.test(headers.authorization ?? '') ||
  (headers.cookie ?? '').includes('__Host-crm-session=');

const forbidden = (message: string): HttpAnswer => ({
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ error: 'forbidden', message, details: { reason: 'foreign_origin' } })),
});

const unavailable = () => apiMessage(503, 'Service Unavailable');

const urlOf = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (bytes < keptBodyBytes) chunks.push(chunk);
    bytes += chunk.length;
  }
  return Buffer.concat(chunks).subarray(0, keptBodyBytes);
}

function send({ method }: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: HttpAnswer): void {
  const hasBody = status !== 204 && status !== 304;
  outgoing.writeHead(status, { ...headers, ...(hasBody && { 'content-length': body.length }) });
  outgoing.end(hasBody && method !== 'HEAD' ? body : undefined);
}
