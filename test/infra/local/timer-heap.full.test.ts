import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TimerHeap } from '#infra/local/timer-heap.ts';

const dayMs = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function heapWithLog() {
  const log: string[] = [];
  return { log, heap: new TimerHeap<string>((item) => log.push(item)) };
}

test('items fall due in time order, whatever the order they came in', () => {
  const { log, heap } = heapWithLog();
  for (const seconds of [5, 1, 4, 2, 3, 9, 7, 8, 6]) heap.add(Date.now() + seconds * 1000, `${seconds}`);
  vi.advanceTimersByTime(4000);
  expect(log).toEqual(['1', '2', '3', '4']);
  vi.advanceTimersByTime(5000);
  expect(log.slice(4)).toEqual(['5', '6', '7', '8', '9']);
});

test('removed items never fall due', () => {
  const { log, heap } = heapWithLog();
  const entries = [3, 1, 2, 5, 4].map((seconds) => heap.add(Date.now() + seconds * 1000, `${seconds}`));
  for (const index of [1, 3]) heap.remove(entries[index] as (typeof entries)[number]);
  vi.advanceTimersByTime(10_000);
  expect(log).toEqual(['2', '3', '4']);
});

test('removing what fell due already, or twice, takes nothing else away', () => {
  const { log, heap } = heapWithLog();
  const entries = [1, 2, 3, 4, 5, 6].map((seconds) => heap.add(Date.now() + seconds * 1000, `${seconds}`));
  vi.advanceTimersByTime(2000);
  for (const index of [0, 1, 4, 4]) heap.remove(entries[index] as (typeof entries)[number]);
  vi.advanceTimersByTime(10_000);
  expect(log).toEqual(['1', '2', '3', '4', '6']);
});

test('an item beyond the longest timeout a timer can have falls due on its day, with one timer at a time', () => {
  const { log, heap } = heapWithLog();
  heap.add(Date.now() + 60 * dayMs, 'far');
  heap.add(Date.now() + 30 * dayMs, 'near');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(30 * dayMs - 1);
  expect(log).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(log).toEqual(['near']);
  vi.advanceTimersByTime(30 * dayMs);
  expect(log).toEqual(['near', 'far']);
  expect(vi.getTimerCount()).toBe(0);
});
