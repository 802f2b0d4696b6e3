import { Client, type Dispatcher } from 'undici';
import { isOvergrown } from './json.ts';

const usual = { timeoutMs: 8_000, maxResponseBytes: 1024 * 1024 };
/** Far more than Telegram and X open in an answer. */
const growth = { maxOpenings: 10_000, maxLevels: 32 };

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Undefined where the answer is no JSON, or JSON of more lists and objects than any answer has. */
  body: unknown;
  text: string;
}

/** An answer, or why there is none; `wasWritten`: the request may have arrived all the same. */
export type Exchange = Answered | { wasWritten: boolean; error: string };

/** A connection to the API of a provider, for one invocation. Errors never name the path, which may hold a token. */
export interface Provider {
  request(method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: unknown): Promise<Exchange>;
  close(): Promise<void>;
}

/**
 * Opens the API at a root URL; paths are below it. One total deadline covers connection, request and answer; once `signal` is
 * aborted, nothing is waited for.
 */
export function openProvider(root: string, options: Partial<typeof usual> & { signal?: AbortSignal } = {}): Provider {
  const { timeoutMs, maxResponseBytes, signal } = { ...usual, ...options };
  const { origin, pathname } = new URL(root);
  const base = pathname.replace(/\/$/, '');
  const client = new Client(origin, {
    connect: { timeout: usual.timeoutMs / 2 },
    // Below the providers' own, so that no request is written to a connection that they are closing.
    keepAliveTimeout: 3_000,
    keepAliveMaxTimeout: 3_000,
    maxResponseSize: maxResponseBytes,
  });
  return {
    async request(method, path, headers, body) {
      const progress = { wasWritten: false };
      try {
        const answer = await client.compose(watching(progress)).request({
          method,
          path: `${base}${path}`,
          headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
        });
        const text = await answer.body.text();
        return { status: answer.statusCode, headers: answer.headers, body: parsed(text), text };
      } catch (error) {
        return { ...progress, error: reasonOf(error, timeoutMs) };
      }
    },
    close: () => client.destroy(),
  };
}

/** Notes when the request begins to be written to a connected socket. */
const watching =
  (progress: { wasWritten: boolean }): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      progress.wasWritten = true;
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };

function parsed(text: string): unknown {
  if (isOvergrown(text, growth)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' ? `no answer within ${timeoutMs / 1000} s` : String(code ?? name ?? 'unknown error');
}
