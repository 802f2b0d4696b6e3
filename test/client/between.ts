import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { request as send } from 'undici';
import { place } from '#test/place.ts';

/** What becomes of a call: it is answered here, or its answer is lost after the API has done it. */
export type Fate = 'passes' | 'is lost' | { status: number; headers?: Record<string, string>; body?: unknown };

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
}

/** A server between a client and the API. The fates are those of the next calls; later ones pass, or are as `fateOf` says. */
export async function startBetween(...fates: Fate[]) {
  const calls: Call[] = [];
  let fateOf: (call: Call) => Fate = () => 'passes';
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const call = { method, path: url, headers };
    calls.push(call);
    const body = await buffer(request);
    const fate = fates.shift() ?? fateOf(call);
    if (typeof fate === 'object') return answer(response, fate);
    const { host, connection, 'content-length': length, ...kept } = headers;
    const answered = await send(new URL(url, place('baseUrl')), { method: method as 'GET', headers: kept, body });
    const bytes = await buffer(answered.body);
    if (fate === 'is lost') return response.destroy();
    response.writeHead(answered.statusCode, { ...answered.headers, 'content-length': bytes.length });
    return response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    next: (...more: Fate[]) => fates.push(...more),
    each(of: typeof fateOf) {
      fateOf = of;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, { status, headers = {}, body }: Exclude<Fate, string>) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  return response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
