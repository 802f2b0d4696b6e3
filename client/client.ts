import createFetchClient, { type Client } from 'openapi-fetch';
import type { HttpMethod } from 'openapi-typescript-helpers';
import { errorOf } from './api-error.ts';
import type { Call } from './call.ts';
import { type Feed, feedOf } from './feed.ts';
import { itemsOf, type List } from './list.ts';
import { type Retries, withRetries } from './retries.ts';
import type { paths } from './schema.ts';

export interface ClientOptions extends Retries {
  /** Where the API is: `https://api.example.com`, with or without `/` or `/v1` at its end. */
  baseUrl: string;
  /** An API key, `csk_live_…` or `csk_test_…`; a function is asked before every call. */
  apiKey: string | (() => string | Promise<string>);
  /** Sent with every call. */
  headers?: Record<string, string>;
  fetch?: (request: Request) => Promise<Response>;
}

export interface CrmClient {
  get: Call<'get'>;
  post: Call<'post'>;
  put: Call<'put'>;
  patch: Call<'patch'>;
  delete: Call<'delete'>;
  /** Every item of a list, page by page, as they are asked for. */
  list: List;
  /** The events, in their order, those that come later too. */
  events: Feed;
  /** For what the others leave out: answers with their status, headers (`ETag`) and error. */
  fetch: Client<paths>;
}

/** A client of the API, for whatever has `fetch`. */
export function createClient({
  baseUrl,
  apiKey,
  headers = {},
  fetch = (request) => globalThis.fetch(request),
  ...retries
}: ClientOptions): CrmClient {
  const client = createFetchClient<paths>({ baseUrl: rootOf(baseUrl), headers, fetch: withRetries(fetch, retries) });
  client.use({
    async onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${typeof apiKey === 'string' ? apiKey : await apiKey()}`);
      return request;
    },
  });
  const call =
    (method: HttpMethod) =>
    async (path: string, init: object = {}): Promise<unknown> => {
      const { data, error, response } = await client.request(method, path as never, init as never);
      if (!response.ok) throw errorOf(response, error);
      return data;
    };
  const get = call('get') as Call<'get'>;
  return {
    get,
    post: call('post') as Call<'post'>,
    put: call('put') as Call<'put'>,
    patch: call('patch') as Call<'patch'>,
    delete: call('delete') as Call<'delete'>,
    list: itemsOf(get),
    events: feedOf(get),
    fetch: client,
  };
}

/** The address without what every path begins with. */
const rootOf = (baseUrl: string) => baseUrl.replace(/\/$/, '').replace(/\/v1$/, '');
