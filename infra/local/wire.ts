import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsError } from './aws-error.ts';
import type { Values } from './calls.ts';
import { type Guarded, refusalOf } from './guard.ts';

export interface WireRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** Notes what a function calls. */
  note: Note;
}

type Note = (action: string, resource: string, values?: Values) => void;

export interface WireServer {
  url: string;
  close(): Promise<void>;
}

export interface Protocol {
  contentType: string;
  errorBody(error: AwsError): unknown;
}

export const awsJson = (version: '1.0' | '1.1', namespace: string): Protocol => ({
  contentType: `application/x-amz-json-${version}`,
  errorBody: (error) => ({ __type: `${namespace}#${error.code}`, message: error.message }),
});

export const restJson = (messageMember: 'message' | 'Message'): Protocol => ({
  contentType: 'application/json',
  errorBody: (error) => ({ [messageMember]: error.message }),
});

/** Serves one AWS API to this system's own programs: `answer` returns the body of a 200 or throws an AwsError. */
export async function listen(
  address: Guarded,
  protocol: Protocol,
  answer: (request: WireRequest) => unknown,
): Promise<WireServer> {
  const server = createServer(async (incoming, outgoing) => {
    const hungUp = new AbortController();
    outgoing.on('close', () => hungUp.abort());
    const headers = { 'content-type': protocol.contentType, 'x-amzn-requestid': randomUUID() };
    try {
      const refusal = refusalOf(incoming.headers, address);
      if (refusal !== undefined) throw new AwsError('UnrecognizedClientException', refusal, { status: 403 });
      const request = await readRequest(incoming);
      const note: Note = (...call) => noteCall(request, address, ...call);
      const body = await answer({ ...request, note });
      outgoing.writeHead(200, headers).end(JSON.stringify(body ?? {}));
    } catch (cause) {
      if (hungUp.signal.aborted) return;
      const error = asAwsError(cause);
      const query = error.queryCode && { 'x-amzn-query-error': `${error.queryCode};Sender` };
      outgoing.writeHead(error.status, { ...headers, 'x-amzn-errortype': error.code, ...query });
      outgoing.end(JSON.stringify(protocol.errorBody(error)));
    }
  });
  // Longer than any client keeps an idle connection, so that none is closed under a request.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address.port, address.host, resolve);
  });
  return {
    url: `http://${address.host}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Notes a call of a function, whose credentials have its name as their session: in a header, or in a presigned URL. */
export function noteCall(
  { headers, query }: Pick<WireRequest, 'headers' | 'query'>,
  { calls }: Guarded,
  ...call: Parameters<Note>
): void {
  const session = headers['x-amz-security-token'] ?? query.get('X-Amz-Security-Token');
  if (typeof session === 'string') calls?.note(session, ...call);
}

/** The action an AWS JSON request names: `AmazonSQS.SendMessage` gives `SendMessage`. */
export function targetAction(request: WireRequest, service: string): string {
  const [named, action] = String(request.headers['x-amz-target'] ?? '').split('.');
  if (named !== service || !action) throw new AwsError('UnknownOperationException', `Expected a ${service} action.`);
  return action;
}

export function jsonBody(request: WireRequest): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(request.body.toString('utf8') || '{}');
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {}
  throw new AwsError('SerializationException', 'The body is not a JSON object.');
}

/** One page of `items`, sorted by key; the token is the last key of the page before. */
export function page<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
  { maxResults, nextToken }: { maxResults: number; nextToken?: string | undefined },
): { items: Item[]; nextToken: string | undefined } {
  const after = nextToken === undefined ? '' : Buffer.from(nextToken, 'base64url').toString();
  const keyed = [...items].map((item) => ({ item, key: keyOf(item) })).filter(({ key }) => key > after);
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
  const shown = keyed.slice(0, maxResults);
  const last = keyed.length > shown.length ? shown.at(-1) : undefined;
  return { items: shown.map(({ item }) => item), nextToken: last && Buffer.from(last.key).toString('base64url') };
}

async function readRequest(incoming: IncomingMessage): Promise<Omit<WireRequest, 'note'>> {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  };
}

function asAwsError(cause: unknown): AwsError {
  if (cause instanceof AwsError) return cause;
  console.error(cause);
  return new AwsError('InternalFailure', 'The local server failed; its standard error says why.', { status: 500 });
}
