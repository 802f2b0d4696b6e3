import { retryAfterSecondsOf } from './api-error.ts';

export interface Retries {
  /** How often a call is tried again; 3 unless said. */
  maxRetries?: number;
  /** Timeout of one attempt. Default: 35,000, because the API answers within 30 seconds. */
  timeoutMs?: number;
  /** A `Retry-After` that is longer ends the retries; 60,000 unless said: the API's requests are counted by the minute. */
  maxWaitMs?: number;
}

type Fetch = (request: Request) => Promise<Response>;

const idempotencyKey = 'Idempotency-Key';
const takesKey = new Set(['POST', 'PATCH', 'DELETE']);
/** Each doubles it. */
const firstWaitMs = 500;
const longestWaitMs = 8000;

/**
 * `fetch` that tries a call again whose answer was lost, was 429 or 5xx, or is still being worked out. Every attempt of a write has
 * the same `Idempotency-Key`, so that it is done once.
 */
export function withRetries(fetch: Fetch, { maxRetries = 3, timeoutMs = 35_000, maxWaitMs = 60_000 }: Retries): Fetch {
  return async (given) => {
    const request = new Request(given);
    if (takesKey.has(request.method) && !request.headers.has(idempotencyKey))
      request.headers.set(idempotencyKey, crypto.randomUUID());
    for (let retries = 0; ; retries += 1) {
      const attempt = new Request(request.clone(), {
        signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]),
      });
      const isLast = retries >= maxRetries;
      let waitMs = Math.random() * Math.min(longestWaitMs, firstWaitMs * 2 ** retries);
      try {
        const response = await fetch(attempt);
        if (isLast || !(await isWorthIt(response))) return response;
        waitMs = Math.max(waitMs, (retryAfterSecondsOf(response) ?? 0) * 1000);
        if (waitMs > maxWaitMs) return response;
        await response.body?.cancel();
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
      }
      await wait(waitMs, request.signal);
    }
  };
}

async function isWorthIt(response: Response): Promise<boolean> {
  if (response.status === 429 || response.status >= 500) return true;
  if (response.status !== 409 || retryAfterSecondsOf(response) === null) return false;
  const body = (await response.clone().json()) as { details?: { reason?: string } | null };
  return body.details?.reason === 'idempotency_in_progress';
}

/** Raises the signal's reason when it is aborted meanwhile. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
