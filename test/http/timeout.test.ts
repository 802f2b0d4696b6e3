import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { secondMs } from '#lib/core/clock.ts';
import { longestCallSeconds, primeTimeoutMs } from '#lib/core/timeouts.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { newWorkspace } from '#test/workspace.ts';

test('an endpoint that runs out of time answers 503 in the envelope, before the platform ends it', async () => {
  const { liveKey } = await newWorkspace();
  const handler = endpoint(
    {
      method: 'GET',
      path: '/v1/slow',
      summary: 'Never answers',
      scope: 'any',
      status: 200,
      response: v.object({}),
      errors: [],
    },
    () => new Promise<never>(() => {}),
  );
  const event = {
    rawPath: '/v1/slow',
    headers: { authorization: `Bearer ${liveKey}` },
    requestContext: { http: { method: 'GET', path: '/v1/slow', sourceIp: '127.0.0.1' } },
  } as unknown as APIGatewayProxyEventV2;
  const { statusCode, headers, body } = await handler(event, {
    getRemainingTimeInMillis: () => 700,
  } as unknown as Context);
  expect({ statusCode, body: JSON.parse(body ?? '') }).toEqual({
    statusCode: 503,
    body: { error: 'internal_error', message: expect.any(String), details: null },
  });
  expect(headers?.['Retry-After']).toBe('1');
});

test('no route goes on for longer than the queue of a revoked key waits for its last calls', async () => {
  const timeouts = (await loadRoutes()).map(({ route }) => route.timeoutSeconds ?? 0);
  expect(Math.max(...timeouts)).toBe(longestCallSeconds);
});

test('the longest ends before the 30 seconds of API Gateway, though it has to start', () => {
  expect(longestCallSeconds * secondMs + primeTimeoutMs).toBeLessThan(30 * secondMs);
});
