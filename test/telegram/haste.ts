import { afterAll, beforeAll, vi } from 'vitest';
import { secondMs } from '#lib/core/clock.ts';
import { providerTimeoutMs } from '#lib/core/timeouts.ts';

const soonMs = 20;
const isQueue = (ms: number) => ms > 0.9 * secondMs && ms <= secondMs;

/** Has mtcute send what was called while it connected at once in a test file, and not a second later. */
export function hasteAtTelegram(): void {
  const { setTimeout } = globalThis;
  beforeAll(() => {
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms = 0, ...rest: []) =>
      setTimeout(work, isQueue(ms) ? soonMs : ms, ...rest)) as typeof setTimeout);
  });
  afterAll(() => {
    vi.restoreAllMocks();
  });
}

/** Does something with a call to Telegram that is never answered, which is given up after a second instead of eight. */
export async function unanswered<Result>(work: () => Promise<Result>): Promise<Result> {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi.spyOn(AbortSignal, 'timeout');
  spy.mockImplementation((ms) => timeout(ms === providerTimeoutMs ? secondMs : ms));
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}
