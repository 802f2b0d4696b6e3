import { Agent, request } from 'undici';
import { TestRunner } from 'vitest';
import type { World } from '#test/harness/world.ts';
import { world } from '#test/harness.ts';
import { place } from '#test/place.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
export interface Answer<Body = any> {
  status: number;
  headers: Record<string, string>;
  body: Body;
}

/** The last that the API has answered to these callers. */
const latest: { request: string; answer: Answer }[] = [];
const maxKept = 5;
const maxShownCharacters = 2_000;

/** What a failed test shows: of its last calls the status and the whole body, of which an assertion names a field or two. */
export function takeAnswers(): string {
  return latest
    .splice(0)
    .map(({ request: of, answer: { status, body } }) => `${of} → ${status} ${JSON.stringify(body) ?? ''}`)
    .map((line) => line.slice(0, maxShownCharacters))
    .join('\n');
}

export interface Options {
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  /** JSON, or a string that is sent as it is. */
  body?: unknown;
}

const dispatchers = new Map<string, Agent>();

/** Another loopback address: the allowance of calls without a key is per client address. */
function from(address: string): Agent {
  const known = dispatchers.get(address) ?? new Agent({ localAddress: address });
  dispatchers.set(address, known);
  return known;
}

let next = 1;
/** An address of 127/8 that no other caller of this test process has used. */
export const freshAddress = () => {
  next += 1;
  return `127.${1 + (process.pid % 250)}.${Math.floor(next / 250)}.${1 + (next % 250)}`;
};

interface Sent {
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

async function overHttp(url: URL, address: string, { method, headers, body }: Sent): Promise<Answer> {
  const dispatcher = from(address);
  const answer = await request(url, {
    method: method as 'GET',
    dispatcher,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    headers: answer.headers as Record<string, string>,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

async function inProcess({ pathname, search }: URL, ip: string, sent: Sent): Promise<Answer> {
  const answer = await (world() as World).request({ ...sent, target: `${pathname}${search}`, ip });
  const hasBody = answer.status !== 204 && answer.status !== 304 && answer.body.length > 0;
  return {
    status: answer.status,
    headers: answer.headers as Record<string, string>,
    body: hasBody ? JSON.parse(answer.body.toString()) : undefined,
  };
}

/** The API as one key sees it. Without a key no Authorization header is sent. */
export function api(
  key?: string,
  { address = '127.0.0.1', baseUrl = place('baseUrl') }: { address?: string; baseUrl?: string } = {},
) {
  const call = async (method: string, path: string, { headers = {}, query, body }: Options = {}): Promise<Answer> => {
    const url = new URL(path, baseUrl);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const sent = {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    };
    const told = await (baseUrl === world()?.api.url ? inProcess(url, address, sent) : overHttp(url, address, sent));
    latest.push({ request: `${method} ${url.pathname}${url.search}`, answer: told });
    latest.splice(0, latest.length - maxKept);
    return told;
  };
  return verbsOf(call);
}

/** The verbs of a caller, each by its one way to call. */
export function verbsOf(call: (method: string, path: string, options?: Options) => Promise<Answer>) {
  /** With an expected status, any other one fails and shows the answer's body. */
  const checked = async (method: string, path: string, options: Options, rest: Rest): Promise<Answer> => {
    const [expected, headers] = typeof rest[0] === 'number' ? [rest[0], rest[1]] : [undefined, rest[0]];
    const answer = await call(method, path, { ...options, ...(headers && { headers }) });
    if (expected !== undefined && answer.status !== expected)
      throw new Error(`${method} ${path} answers ${answer.status}, not ${expected}: ${JSON.stringify(answer.body)}`);
    return answer;
  };
  return {
    call,
    get: (path: string, query?: Options['query'], ...rest: Rest) => checked('GET', path, query ? { query } : {}, rest),
    post: (path: string, body?: unknown, ...rest: Rest) => checked('POST', path, { body }, rest),
    patch: (path: string, body?: unknown, ...rest: Rest) => checked('PATCH', path, { body }, rest),
    put: (path: string, body?: unknown, ...rest: Rest) => checked('PUT', path, { body }, rest),
    delete: (path: string, ...rest: Rest) => checked('DELETE', path, {}, rest),
  };
}

/** The status that is expected, and headers; each can be left out. */
type Rest = [expected: number, headers?: Record<string, string>] | [headers?: Record<string, string> | undefined];

export type Client = ReturnType<typeof verbsOf>;

/** Every item of a list, page by page. */
export async function everyItem(
  client: Client,
  path: string,
  query: NonNullable<Options['query']> = {},
): Promise<Answer['body'][]> {
  const items: Answer['body'][] = [];
  let after: number | null = null;
  do {
    const { status, body }: Answer = await client.get(path, { ...query, ...(after !== null && { after }) });
    if (status !== 200) throw new Error(`GET ${path} answers ${status} ${JSON.stringify(body)}`);
    items.push(...body.items);
    after = body.nextCursor;
  } while (after !== null);
  return items;
}

/** Where a machine stalls: a test is run once more there (vitest.config.ts), and what prepares a whole file is not. */
const patienceOnStalls = 3;

/** Asks again until the answer is there; a bounded wait, never a timed assertion. A test that is run once more waits longer. */
export async function eventually<T>(
  ask: () => Promise<T | undefined | false>,
  what: string,
  usualMs = 45_000,
): Promise<T> {
  const here = world();
  if (here) return soon(here, ask, what, usualMs);
  const isFirstRun = TestRunner.getCurrentTest()?.result?.retryCount === 0;
  const timeoutMs = isFirstRun ? usualMs : patienceOnStalls * usualMs;
  const startedMs = Date.now();
  for (;;) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    const waitedMs = Date.now() - startedMs;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    // Who waits long asks less often: what is asked is the system that is waited for.
    await new Promise((resolve) => setTimeout(resolve, Math.min(50 + waitedMs / 10, 250)));
  }
}

const stepMs = 1000;
const breatheMs = 5;

/** Runs what is due, and moves the clock ahead until the answer is there. */
async function soon<T>(
  here: World,
  ask: () => Promise<T | undefined | false>,
  what: string,
  forMs: number,
): Promise<T> {
  const giveUpMs = here.clock.now() + forMs;
  for (;;) {
    await here.settle();
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    if (here.clock.now() > giveUpMs) throw new Error(`waited ${forMs} ms for ${what}`);
    // Somebody outside may be asked as well, who needs real time.
    await new Promise((resolve) => setTimeout(resolve, breatheMs));
    await here.step(stepMs);
  }
}
