import { describe, expect, test } from 'vitest';
import { now } from '#lib/core/clock.ts';
import type { Health } from '#lib/entities/webhook-health.ts';
import { afterAttempt, isGivenUp, isSlow, newHealth, statusOf, withBreaker } from '#lib/webhooks/health.ts';
import { dayOf } from '#lib/webhooks/hours.ts';

const at = (hours: number) => new Date(Date.UTC(2026, 10, 1) + hours * 3_600_000);

const failing = (hours: readonly number[], from: Health = newHealth(1)) =>
  hours.reduce((health, hour) => afterAttempt(health, false, 10, at(hour)), from);

describe('an endpoint', () => {
  test('is degraded from the fifth failed attempt in a row until a success', () => {
    const four = failing([0, 0, 0, 0]);
    const five = failing([0], four);
    expect(statusOf(true, four)).toBe('healthy');
    expect(statusOf(true, five)).toBe('degraded');
    expect(statusOf(true, afterAttempt(five, true, 10, at(1)))).toBe('healthy');
    expect(statusOf(false, four)).toBe('disabled');
  });

  test('is given up after five days without a success and ten failures', () => {
    const ten = failing([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(isGivenUp(ten, at(119).getTime())).toBe(false);
    expect(isGivenUp(ten, at(120).getTime())).toBe(true);
    expect(isGivenUp(failing([0, 1, 2, 3, 4, 5, 6, 7, 8]), at(500).getTime())).toBe(false);
  });

  test('is not given up for a quiet time before its failures', () => {
    const succeeded = afterAttempt(newHealth(1), true, 10, at(0));
    const ten = failing([200, 201, 202, 203, 204, 205, 206, 207, 208, 209], succeeded);
    expect(isGivenUp(ten, at(210).getTime())).toBe(false);
    expect(isGivenUp(ten, at(320).getTime())).toBe(true);
  });

  test('forgets its failures with one success', () => {
    const recovered = afterAttempt(withBreaker(failing(Array(12).fill(0)), at(0).getTime(), 1), true, 10, at(1));
    expect(recovered).toEqual({
      ...newHealth(1),
      averageMs: 10,
      hours: [
        { hour: at(0).getTime() / 3_600_000, failed: 12, took: [] },
        { hour: at(1).getTime() / 3_600_000, failed: 0, took: [1] },
      ],
      lastDeliveryAt: '2026-11-01T01:00:00Z',
      lastSuccessAt: '2026-11-01T01:00:00Z',
    });
  });
});

describe('the breaker', () => {
  const now = at(0).getTime();

  test('opens at the tenth failure in a row, for 30 s, and for twice as long each time up to ten minutes', () => {
    expect(withBreaker(failing(Array(9).fill(0)), now, 1).openings).toBe(0);
    let health = failing(Array(10).fill(0));
    let time = now;
    const waits = Array.from({ length: 7 }, () => {
      health = withBreaker(health, time, 1);
      const waitMs = health.openUntilMs - time;
      time = health.openUntilMs;
      health = failing([0], health);
      return waitMs;
    });
    expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
  });

  test('stays as it is while it is open: attempts that were under way do not lengthen it', () => {
    const open = withBreaker(failing(Array(10).fill(0)), now, 1);
    expect(withBreaker(failing([0, 0, 0], open), now + 1, 1)).toMatchObject({
      openings: 1,
      openUntilMs: open.openUntilMs,
    });
  });

  test('waits as the operator scales', () => {
    expect(withBreaker(failing(Array(10).fill(0)), now, 0.01).openUntilMs - now).toBe(300);
  });
});

test('an endpoint enters the slow lane above a second on average and leaves it below half', () => {
  const taking = (ms: number) => ({ ...newHealth(1), averageMs: ms });
  expect([isSlow(taking(1_001), false), isSlow(taking(999), false)]).toEqual([true, false]);
  expect([isSlow(taking(501), true), isSlow(taking(499), true)]).toEqual([true, false]);
});

describe('the last day of an endpoint', () => {
  const nowMs = now();
  const hoursAgo = (hours: number) => new Date(nowMs - hours * 3_600_000);

  test('counts attempts by hour, and leaves out what is older than 24 hours', () => {
    const old = afterAttempt(newHealth(7), false, 10, hoursAgo(30));
    const failed = afterAttempt(old, false, 10, hoursAgo(2));
    const { hours, ...day } = dayOf(afterAttempt(failed, true, 90, hoursAgo(0)));
    expect(day).toEqual({ endpointId: 7, succeeded: 1, failed: 1, p95Ms: 98 });
    expect(hours).toHaveLength(24);
    expect(hours.slice(-3).map(({ succeeded, failed }) => [succeeded, failed])).toEqual([
      [0, 1],
      [0, 0],
      [1, 0],
    ]);
  });

  test.each([
    [Array(100).fill(20), 24],
    [[...Array(94).fill(20), ...Array(6).fill(3000)], 2167],
    [[9000], 4830],
    [[], null],
  ])('has a 95th percentile: %j', (took, p95Ms) => {
    const health = took.reduce((before, ms) => afterAttempt(before, true, ms, hoursAgo(0)), newHealth(1));
    expect(dayOf(health).p95Ms).toBe(p95Ms);
  });
});
