import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { type CrmClient, errorOf } from '../../client/index.ts';
import { connect } from '../connection.ts';
import { type Field, fieldOf, withField } from '../fields.ts';
import { operandsOf } from '../operands.ts';
import { printable } from '../output.ts';
import { UsageError, verb } from '../verb.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const api = verb({
  summary: 'Makes one call, or reads a whole list.',
  usage: '[METHOD] /v1/… [-f key=value]… [-d JSON] [--paginate]',
  options: {
    field: {
      type: 'string',
      short: 'f',
      multiple: true,
      value: 'K=V',
      help: 'a field of the query with GET, DELETE or -d, else of the body (a.b=1)',
    },
    data: { type: 'string', short: 'd', value: 'JSON', help: 'the body; @file reads a file, - the standard input' },
    header: { type: 'string', short: 'H', multiple: true, value: 'N: V', help: 'a further header: "If-Match: …"' },
    include: { type: 'boolean', short: 'i', help: 'status and headers of the answer on standard error' },
    paginate: { type: 'boolean', help: 'read every page of a list; one item a line' },
  },
  more: `The method is GET, or POST where there is a body. A value of the body is JSON where it can be read as such,
else a text: -f value=9800 -f 'phone="49305550101"'. Writes are tried again under one Idempotency-Key.

  crm api /v1/contacts -f q=ann
  crm api POST /v1/deals -f title='Twenty seats' -f value=9800
  crm api /v1/contacts --paginate | wc -l`,
  async run({ values, operands, output }) {
    const call = await callOf(operands, values);
    const { crm } = connect(values);
    if (values.paginate) {
      if (call.method !== 'GET') throw new UsageError('--paginate works only with GET');
      for await (const item of itemsOf(crm, call)) output.line(item);
      return;
    }
    const { body, response } = await answerTo(crm, call);
    if (values.include) {
      const headers = [...response.headers].map(([name, value]) => `${name}: ${printable(value)}`);
      output.note([`${response.status}`, ...headers, ''].join('\n'));
    }
    output.result(body);
  },
});

interface Call {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Record<string, string>;
}

interface Given {
  field?: string[] | undefined;
  data?: string | undefined;
  header?: string[] | undefined;
}

async function callOf(operands: readonly string[], { field = [], data, header = [] }: Given): Promise<Call> {
  const [address = '', given] = (
    operands.length < 2 ? operandsOf(operands, 'the path (/v1/…)') : operandsOf(operands, 'METHOD', 'the path (/v1/…)')
  ).toReversed();
  const body = data === undefined ? undefined : jsonOf(await contentOf(data));
  const fields = field.map(fieldOf);
  const method = given?.toUpperCase() ?? (body === undefined ? 'GET' : 'POST');
  if (!methods.includes(method)) throw new UsageError(`${given} is not a method; use one of ${methods.join(', ')}`);
  const { path, query } = placeOf(address);
  const isInQuery = ['GET', 'DELETE'].includes(method) || body !== undefined;
  if (isInQuery) for (const one of fields) query.append(one.path.join('.'), one.text);
  return {
    method,
    path,
    query,
    body: isInQuery ? body : bodyOf(fields),
    headers: Object.fromEntries(header.map(headerOf)),
  };
}

const bodyOf = (fields: readonly Field[]) => fields.reduce(withField, {});

/** Returns the path and query of an address. Raises for anything but a path of the API, so that the key goes nowhere else. */
function placeOf(address: string): { path: string; query: URLSearchParams } {
  if (!/^\/(?!\/)[^\s\\#{}]*$/.test(address))
    throw new UsageError(`"${address}" is not a path of the API: write it like /v1/contacts`);
  const [path = '', ...query] = address.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}

function headerOf(given: string): [string, string] {
  const [, name, value] = /^([\w-]+): *(.*)$/.exec(given) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`"${given}" is not a header: write it like "Name: value"`);
  return [name, value];
}

function contentOf(data: string): string | Promise<string> {
  if (data === '-') return textOf(process.stdin);
  if (!data.startsWith('@')) return data;
  try {
    return readFileSync(data.slice(1), 'utf8');
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the body is not JSON: ${(error as Error).message}`);
  }
}

async function answerTo(crm: CrmClient, { method, path, query, body, headers }: Call) {
  const address = query.size === 0 ? path : `${path}?${query}`;
  const init = { headers, ...(body !== undefined && { body }) };
  const { data, error, response } = await crm.fetch.request(
    method.toLowerCase() as 'get',
    address as never,
    init as never,
  );
  if (!response.ok) throw errorOf(response, error);
  return { body: data as unknown, response };
}

/** Yields the items of all pages. The feed continues by `since`, every other list by `after`. */
async function* itemsOf(crm: CrmClient, call: Call): AsyncGenerator<unknown, void> {
  const next = call.path === '/v1/events' ? 'since' : 'after';
  for (;;) {
    const { body } = await answerTo(crm, call);
    const { items, nextCursor, hasMore } = body as { items?: unknown[]; nextCursor?: number | null; hasMore?: boolean };
    if (!Array.isArray(items)) throw new UsageError(`${call.path} is not a list: leave out --paginate`);
    yield* items;
    if (!hasMore || nextCursor === null || nextCursor === undefined) return;
    call.query.set(next, String(nextCursor));
  }
}
