import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Failed, maxAttempts, retryWaitMs, retryWaitsMs } from '#lib/webhooks/schedule.ts';

const hourMs = 3_600_000;
const now = Date.UTC(2026, 10, 21, 12);
const failed = (more: Partial<Failed> = {}): Failed => ({
  attempts: 1,
  status: 500,
  isTimeout: false,
  retryAfter: undefined,
  ...more,
});
const wait = (more: Partial<Failed> = {}, options: { random?: number; scale?: number } = {}) =>
  retryWaitMs(failed(more), { now, random: 0, scale: 1, ...options });

test('ten attempts wait 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, then there is none', () => {
  const waits = Array.from({ length: 10 }, (_, index) => wait({ attempts: index + 1 }));
  expect(waits).toEqual([
    5_000,
    300_000,
    1_800_000,
    2 * hourMs,
    5 * hourMs,
    10 * hourMs,
    14 * hourMs,
    20 * hourMs,
    24 * hourMs,
    null,
  ]);
  expect(maxAttempts).toBe(10);
  expect(retryWaitsMs.reduce((a, b) => a + b)).toBe(75 * hourMs + 35 * 60_000 + 5_000);
});

test('a wait is lengthened by up to a fifth and never shortened', async () => {
  await fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempts, random) => {
      const scheduled = retryWaitsMs[attempts - 1] as number;
      const waited = wait({ attempts }, { random }) as number;
      expect(waited).toBeGreaterThanOrEqual(scheduled);
      expect(waited).toBeLessThanOrEqual(scheduled * 1.2 + 1);
    }),
  );
});

test('429, 502, 504 and a time-out wait at least a minute', () => {
  for (const more of [{ status: 429 }, { status: 502 }, { status: 504 }, { status: null, isTimeout: true }]) {
    expect(wait(more)).toBe(60_000);
    expect(wait({ ...more, attempts: 2 })).toBe(300_000);
  }
  expect(wait({ status: 503 })).toBe(5_000);
});

describe('Retry-After', () => {
  test('lengthens a wait up to an hour or twice the schedule', () => {
    expect(wait({ retryAfter: '30' })).toBe(30_000);
    expect(wait({ retryAfter: '7200' })).toBe(hourMs);
    expect(wait({ retryAfter: '999999', attempts: 5 })).toBe(10 * hourMs);
    expect(wait({ retryAfter: '90', status: 429 })).toBe(90_000);
  });

  test('never shortens one', () => {
    expect(wait({ retryAfter: '0' })).toBe(5_000);
    expect(wait({ retryAfter: '1', attempts: 2 })).toBe(300_000);
    expect(wait({ retryAfter: '30', status: 429 })).toBe(60_000);
  });

  test('may be an HTTP date', () => {
    expect(wait({ retryAfter: new Date(now + 600_000).toUTCString() })).toBe(600_000);
    expect(wait({ retryAfter: new Date(now - 600_000).toUTCString() })).toBe(5_000);
  });

  test.each(['', 'soon', '-5', '1.5', '1e9', '2026-11-21', 'Sat, 99 Foo 2026 99:99:99 GMT'])(
    'is ignored when it is %j',
    (retryAfter) => {
      expect(wait({ retryAfter })).toBe(5_000);
    },
  );
});

test('the operator scales every wait, the minute and Retry-After included', () => {
  expect(wait({}, { scale: 0.01 })).toBe(50);
  expect(wait({ status: 429 }, { scale: 0.01 })).toBe(600);
  expect(wait({ retryAfter: '600' }, { scale: 0.01 })).toBe(6_000);
  expect(wait({}, { scale: 0 })).toBe(0);
});
