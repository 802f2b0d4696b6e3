import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import * as v from 'valibot';
import { afterEach, expect, test, vi } from 'vitest';
import { minuteMs } from '#lib/core/clock.ts';
import { assetEndpoint } from '#lib/http/asset-endpoint.ts';

const page = assetEndpoint(
  {
    method: 'GET',
    path: '/page',
    summary: 'A page',
    scope: 'public',
    isUndocumented: true,
    status: 200,
    response: v.never(),
    errors: [],
  },
  () => ({ status: 200, headers: {}, body: 'page' }),
);

async function statusFor(sourceIp: string) {
  const requestContext = { http: { method: 'GET', path: '/page', sourceIp } };
  const event = { rawPath: '/page', headers: {}, requestContext } as unknown as APIGatewayProxyEventV2;
  const answer = await page(event, { getRemainingTimeInMillis: () => 10_000 } as unknown as Context);
  return [answer.statusCode, answer.headers?.['Retry-After']];
}

afterEach(() => {
  vi.useRealTimers();
});

test('a process gives a client, of IPv6 a network, 600 files of pages in a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T00:00:10Z') });
  for (let asked = 0; asked < 300; asked += 1) {
    expect(await statusFor('2001:db8:1::1')).toEqual([200, undefined]);
    expect(await statusFor(`2001:db8:1:${asked}::2`)).toEqual([200, undefined]);
  }
  expect(await statusFor('2001:db8:1::1')).toEqual([429, '50']);
  expect(await statusFor('2001:db8:2::1')).toEqual([200, undefined]);
  vi.setSystemTime(Date.now() + minuteMs);
  expect(await statusFor('2001:db8:1::1')).toEqual([200, undefined]);
});
