import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Invoke } from './functions.ts';
import { splitTarget, toEvent } from './http/event.ts';
import { apiMessage, type HttpAnswer, toHttpAnswer } from './http/response.ts';
import { routeTable } from './http/routes.ts';
import type { RouteToServe } from './template.ts';
import type { Address } from './wire.ts';

export interface HttpApi {
  url: string;
  /** Starts to serve these routes, in place of those before. Until the first time every request gets a 503. */
  serve(routes: readonly RouteToServe[], invoke: Invoke): void;
  /** Takes no new requests; those at work get `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}

const maxBodyBytes = 10 * 1024 * 1024;
const maxEventBytes = 6 * 1024 * 1024;
const integrationTimeoutMs = 30_000;

/** Starts an API Gateway HTTP API in front of functions; rejects when the port is taken. */
export async function startHttpApi({ accountId, ...address }: Address & { accountId: string }): Promise<HttpApi> {
  let match = routeTable([]);
  let invoke: Invoke | undefined;

  async function answer(incoming: IncomingMessage): Promise<HttpAnswer> {
    const body = await readBody(incoming);
    if (!body) return apiMessage(413, 'Request Entity Too Large');
    const found = match(incoming.method ?? 'GET', splitTarget(incoming.url ?? '/').path);
    if (!invoke) return unavailable();
    if (!found) return apiMessage(404, 'Not Found');
    const event = JSON.stringify(toEvent({ incoming, body, match: found, accountId }));
    if (Buffer.byteLength(event) > maxEventBytes) return apiMessage(413, 'Request Too Long');
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

function withinTime(answer: Promise<HttpAnswer>): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(unavailable()), integrationTimeoutMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const unavailable = () => apiMessage(503, 'Service Unavailable');

const urlOf = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Nothing when it is larger than API Gateway takes. */
async function readBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  return bytes > maxBodyBytes ? undefined : Buffer.concat(chunks);
}

function send({ method }: IncomingMessage, outgoing: ServerResponse, { status, headers, body }: HttpAnswer): void {
  const hasBody = status !== 204 && status !== 304;
  outgoing.writeHead(status, { ...headers, ...(hasBody && { 'content-length': body.length }) });
  outgoing.end(hasBody && method !== 'HEAD' ? body : undefined);
}
