import * as v from 'valibot';
import { invalidField } from '#lib/core/problem.ts';
import type { Endpoint } from '#lib/http/endpoint.ts';
import { jsonIn } from './message.ts';
import { type Arguments, type Ask, own, type Parameters, type View } from './tool.ts';

const maxJsonCharacters = 20_000;
const json = () => v.optional(v.pipe(v.string(), v.maxLength(maxJsonCharacters)));

/** The parameters of a search by any field; `schema_describe` tells what they take. */
export const conditions: Parameters = {
  filter: own(json(), 'JSON condition {field, op, value}, or and, or, not of them'),
  sort: own(json(), 'JSON [{field, direction}]'),
  cursor: own(json(), 'nextCursor, with filter or sort'),
};

const ofSearch = ['q', 'limit', 'include', 'fields', 'filter', 'sort', 'cursor'];

/** Returns the page of a list, or that of a search where a filter or an order is given. Raises 400 for filters of the list beside them. */
export async function listOrSearch(ask: Ask, list: Endpoint, search: Endpoint, args: Arguments): Promise<View> {
  if (args['filter'] === undefined && args['sort'] === undefined) return ask(list, args);
  const other = Object.keys(args).find((name) => args[name] !== undefined && !ofSearch.includes(name));
  if (other !== undefined)
    throw invalidField(other, 'not_allowed', `${other} is not for a search by filter or sort: put it into filter`);
  const { q, limit, include, cursor } = args;
  const given = { q, limit, include, cursor, filter: parsed(args, 'filter'), sort: parsed(args, 'sort') };
  return ask(search, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
}

function parsed(args: Arguments, name: 'filter' | 'sort'): unknown {
  if (args[name] === undefined) return undefined;
  const value = jsonIn(String(args[name]), (one) => typeof one === 'object' && one !== null);
  if (typeof value !== 'object') throw invalidField(name, 'invalid_format', `${name} must be JSON`);
  return value;
}
