import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { now } from '#lib/core/clock.ts';
import type { RouteMatch } from './routes.ts';

export interface ReceivedRequest {
  incoming: IncomingMessage;
  body: Buffer;
  match: RouteMatch;
  accountId: string;
}

/** The event of a request in API Gateway's payload format 2.0. */
export function toEvent({ incoming, body, match, accountId }: ReceivedRequest): APIGatewayProxyEventV2 {
  const { path, query } = splitTarget(incoming.url ?? '/');
  const { route, pathParameters } = match;
  const { cookie, ...headers } = joinedHeaders(incoming);
  const rawPath = decoded(path);
  const sourceIp = (incoming.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const routeKey = route.path === '$default' ? '$default' : `${route.method} ${route.path}`;
  const receivedAt = new Date(now());
  const parameters = queryParameters(query);
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: query,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/; */) }),
    headers: {
      ...headers,
      'x-amzn-trace-id': `Root=1-${Math.floor(receivedAt.getTime() / 1000).toString(16)}-${randomUUID().replaceAll('-', '').slice(0, 24)}`,
      'x-forwarded-for': headers['x-forwarded-for'] ? `${headers['x-forwarded-for']}, ${sourceIp}` : sourceIp,
      'x-forwarded-port': String(incoming.socket.localPort ?? ''),
      'x-forwarded-proto': 'http',
    },
    ...(parameters && { queryStringParameters: parameters }),
    requestContext: {
      accountId,
      apiId: 'local',
      // API Gateway's own name or a custom domain, which no header chooses.
      domainName: 'localhost',
      domainPrefix: 'localhost',
      http: {
        method: incoming.method ?? 'GET',
        path: rawPath,
        protocol: `HTTP/${incoming.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey,
      stage: '$default',
      time: commonLogTime(receivedAt),
      timeEpoch: receivedAt.getTime(),
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters: mapValues(pathParameters, decoded) }),
    ...bodyMembers(body, headers['content-type']),
  };
}

/** Path and query string of a request target, as they were sent. */
export function splitTarget(target: string): { path: string; query: string } {
  const at = target.indexOf('?');
  return at === -1 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}

function joinedHeaders({ headersDistinct }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(name === 'cookie' ? '; ' : ',')]),
  );
}

function queryParameters(query: string): Record<string, string> | undefined {
  if (query === '') return undefined;
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const earlier = parameters.get(name);
    parameters.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(parameters);
}

// Found by trial on AWS: everything else, forms and no content type included, comes base64-encoded.
const isText = (contentType: string | undefined) =>
  contentType !== undefined && /^(text\/|application\/(json|xml|javascript)\s*(;|$))/i.test(contentType);

function bodyMembers(body: Buffer, contentType: string | undefined): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  // As text it could not be told what was sent.
  const isBase64Encoded = !isText(contentType) || !isUtf8(body);
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const mapValues = (values: Record<string, string>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** `12/Mar/2020:19:03:58 +0000` */
function commonLogTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
