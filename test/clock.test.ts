import { afterEach, expect, test } from 'vitest';
import {
  after,
  type Clock,
  deadline,
  epochSeconds,
  fromNow,
  hourMs,
  nextDay,
  now,
  setClock,
  sleep,
  timestamp,
} from '#lib/core/clock.ts';
import { world } from '#test/harness.ts';

afterEach(() => {
  setClock(world()?.clock);
});

/** Returns a clock that stands still and writes down what it is asked for. */
function stoppedClock(at: string) {
  const log: string[] = [];
  const clock: Clock = {
    now: () => Date.parse(at),
    sleep: async (ms) => void log.push(`sleep ${ms}`),
    after: (ms) => {
      log.push(`after ${ms}`);
      return () => log.push('cancel');
    },
  };
  return { clock, log };
}

test('every time follows the installed clock', () => {
  setClock(stoppedClock('2030-12-31T23:30:00Z').clock);
  expect(now()).toBe(Date.parse('2030-12-31T23:30:00Z'));
  expect(timestamp()).toBe('2030-12-31T23:30:00Z');
  expect(fromNow(hourMs)).toBe('2031-01-01T00:30:00Z');
  expect(nextDay()).toBe('2031-01-01T00:00:00Z');
  expect(epochSeconds()).toBe(now() / 1000);
});

test('every wait follows the installed clock', async () => {
  const { clock, log } = stoppedClock('2030-01-01T00:00:00Z');
  setClock(clock);
  await sleep(hourMs);
  after(hourMs, () => log.push('work'))();
  expect(log).toEqual([`sleep ${hourMs}`, `after ${hourMs}`, 'cancel']);
});

test('a deadline passes in real time when a clock is installed', async () => {
  setClock(stoppedClock('2030-01-01T00:00:00Z').clock);
  await new Promise<void>((resolve) => deadline(1, resolve));
});

test("the machine's clock is back when none is installed", () => {
  setClock(stoppedClock('2030-01-01T00:00:00Z').clock);
  setClock(undefined);
  expect(Math.abs(now() - Date.now())).toBeLessThan(hourMs);
});

test("the machine's sleep rejects when its signal aborts", async () => {
  const late = new AbortController();
  const slept = sleep(hourMs, late.signal);
  late.abort();
  await expect(slept).rejects.toMatchObject({ name: 'AbortError' });
});
