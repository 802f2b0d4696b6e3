import { randomInt } from 'node:crypto';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { quietly } from '#lib/core/log.ts';
import { primeTimeoutMs } from '#lib/core/timeouts.ts';
import type { RouteHandler } from './endpoint.ts';

/** Well-formed key that belongs to nobody: no key has this id. */
const nobody = `Bearer csk_live_${'0'.repeat(44)}`;

/** Where several functions share a process and its modules, the first one has warmed them. */
let isWarm = false;

/**
 * Refuses a stranger while the function initialises, so that its first request does not pay for the lazy parts of the SDK, of the
 * log and of what every request goes through. Leaves no line and no metric. Never throws: a function that cannot reach its table
 * says so when it is called.
 */
export async function prime(handler: RouteHandler): Promise<void> {
  if (isWarm) return;
  isWarm = true;
  try {
    const context = { getRemainingTimeInMillis: () => primeTimeoutMs } as Context;
    await quietly(async () => void (await handler(anonymousRequest(), context)));
  } catch {
    // The first request reports it with its own context.
  }
}

/** From an address that nobody has (RFC 1122), another one each time: many functions may start at once. */
function anonymousRequest(): APIGatewayProxyEventV2 {
  const sourceIp = `0.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
  const http = { method: 'GET', path: '/v1', sourceIp };
  return { rawPath: '/v1', headers: { authorization: nobody }, requestContext: { http } } as never;
}
