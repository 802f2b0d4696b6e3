import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import { providerTimeoutMs } from '#lib/core/timeouts.ts';
import type { Form } from './form.ts';
import { maxHeaderBytes } from './outbound.ts';

const usual = { timeoutMs: providerTimeoutMs, maxResponseBytes: 1024 * 1024 };

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Undefined where the answer is no JSON. */
  body: unknown;
  text: string;
}

/** An answer, or why there is none; `wasWritten`: the request may have arrived all the same. */
export type Exchange = Answered | { wasWritten: boolean; error: string };

/** A connection to the API of a provider, for one invocation. Errors never name the path, which may hold a token. */
export interface Provider {
  /** The body is sent as JSON, or as the form that it is. */
  request(method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: unknown): Promise<Exchange>;
  /** A POST of a form, whose files are read as they are sent; `unread`: why one could not be. */
  upload(path: string, form: Form, timeoutMs: number): Promise<{ exchange: Exchange; unread: Error | undefined }>;
  /** The bytes at a path, as they come. Throws where there is no answer, and while reading when it breaks off. */
  download(path: string): Promise<{ status: number; bytes: AsyncIterable<Buffer> }>;
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
  const pool = new Pool(origin, {
    allowH2: false,
    connect: { timeout: usual.timeoutMs / 2 },
    maxHeaderSize: maxHeaderBytes,
    // Below the providers' own, so that no request is written to a connection that they are closing.
    keepAliveTimeout: 3_000,
    keepAliveMaxTimeout: 3_000,
    maxResponseSize: maxResponseBytes,
  });
  const within = (limitMs: number) => AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
  const exchange = async (
    request: Pick<Dispatcher.RequestOptions, 'method' | 'path' | 'headers' | 'body'>,
    limitMs: number,
  ) => {
    const progress = { wasWritten: false };
    try {
      const whole = { ...request, path: `${base}${request.path}`, signal: within(limitMs) };
      const answer = await pool.compose(watching(progress)).request(whole);
      const text = await answer.body.text();
      return { status: answer.statusCode, headers: answer.headers, body: parsed(text), text };
    } catch (error) {
      return { ...progress, error: reasonOf(error, limitMs) };
    }
  };
  return {
    request(method, path, headers, body) {
      if (body === undefined) return exchange({ method, path, headers }, timeoutMs);
      const [type, text] =
        body instanceof URLSearchParams
          ? ['application/x-www-form-urlencoded', body.toString()]
          : ['application/json', JSON.stringify(body)];
      return exchange({ method, path, headers: { ...headers, 'content-type': type }, body: text }, timeoutMs);
    },
    async upload(path, form, limitMs) {
      let unread: Error | undefined;
      async function* body() {
        try {
          yield* form.body();
        } catch (error) {
          unread = error as Error;
          throw error;
        }
      }
      const headers = { 'content-type': form.contentType, 'content-length': String(form.sizeBytes) };
      const request = { method: 'POST' as const, path, headers, body: Readable.from(body()) };
      return { exchange: await exchange(request, limitMs), unread };
    },
    async download(path) {
      const { statusCode, body } = await pool
        .request({ method: 'GET', path: `${base}${path}`, signal: within(timeoutMs) })
        .catch((error: unknown) => {
          throw new Error(`no answer (${reasonOf(error, timeoutMs)})`);
        });
      return { status: statusCode, bytes: body };
    },
    close: () => pool.destroy(),
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
