import * as v from 'valibot';
import { entriesOf } from '#lib/core/fields.ts';
import { listInput, queryText, reading } from '#lib/core/schema.ts';
import type { Endpoint } from '#lib/http/endpoint.ts';
import { isList, isNothing, isObject, jsonIn } from './message.ts';
import { type Arguments, type Ask, own, type Parameter, type Parameters, passed, pick, type View } from './tool.ts';

/** JSON Schemas of results, shallow because the whole list of tools has a budget; the operations check what they answer. */
export const page = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'object' } }, hasMore: { type: 'boolean' } },
};
export const object = { type: 'object' };

/** How all lists are paged. */
export const paging = ({ route }: Endpoint): Parameters =>
  pick(route.query, { after: 'nextCursor', limit: 'Default 25' });

/** Text to search for; blank counts as absent. */
export const search = (max?: number) =>
  reading(v.optional(queryText(max)), (value) =>
    typeof value === 'string' && value.trim() === '' ? undefined : value,
  );

/** More than the names of all fields of any resource. */
const maxFieldsCharacters = 1000;
const isText = (value: unknown) => typeof value === 'string';

/** Which fields of each row, or of the resource, to show; models give a list as well. */
export const fields: Parameter = own(
  reading(search(maxFieldsCharacters), (value) => {
    const names = typeof value === 'string' ? jsonIn(value, isList) : value;
    return isList(names) && names.every(isText) ? names.join(',') : value;
  }),
  'Only a,b',
);
/** Custom values of a record: the operation reads them, and `schema_describe` tells the slugs. */
export const customFields: Parameter = passed(v.string(), 'JSON {slug: value}');
export const idempotencyKey: Parameter = passed(v.string(), 'Acts once');

/** A list of different values, or one value alone. */
export const distinct = <Item extends v.GenericSchema>(item: Item, max: number, what: string) =>
  reading(listInput(item, max, what), (value) =>
    value === null || (isList(value) && value.length > max) ? value : [...new Set(isList(value) ? value : [value])],
  );

/** For the definition alone: an operation reads the value. */
export const checkedByOperation = <Schema extends v.GenericSchema>(schema: Schema): Schema => ({
  ...schema,
  '~run': ({ value }: { value: unknown }) => ({ typed: true, value }),
});

const notesOnAll = { ids: '(a,b)', metadata: '{key: value}' };
const ofPaging = ['after', 'limit'];

/**
 * Adds the other filters of the lists behind a tool to its parameters, named in one parameter, because a line for each would exceed
 * the budget. The tool gets them among its own arguments.
 */
export function withFilters(
  takes: Parameters,
  lists: Readonly<Record<string, Endpoint>>,
  notes: Readonly<Record<string, string>> = {},
): Parameters {
  const others = Object.entries(lists).map(([list, { route }]) => {
    const names = Object.keys(entriesOf(route.query)).filter((name) => !(name in takes || ofPaging.includes(name)));
    return { list, names };
  });
  const isShared = (name: string) =>
    others.length === 1 || others.filter(({ names }) => names.includes(name)).length > 1;
  const noteOf: Readonly<Record<string, string | undefined>> = { ...notesOnAll, ...notes };
  const words = (names: readonly string[]) =>
    names.map((name) => [name, noteOf[name]].filter(Boolean).join(' ')).join(', ');
  const shared = [...new Set(others.flatMap(({ names }) => names.filter(isShared)))];
  const ofOne = others
    .map(({ list, names }) => ({ list, names: names.filter((name) => !isShared(name)) }))
    .filter(({ names }) => names.length > 0)
    .map(({ list, names }, index) => `${shared.length + index === 0 ? 'Of' : 'of'} ${list}: ${words(names)}`);
  const description = [words(shared), ...ofOne].filter(Boolean).join('; ');
  return description === '' ? takes : { ...takes, filters: own(v.object({}), description) };
}

/** Returns the parameters of a list: described filters, all others, and paging. */
export const listing = (
  list: Endpoint,
  described: Record<string, string>,
  notes: Record<string, string> = {},
): Parameters => ({
  ...withFilters(pick(list.route.query, described), { list }, notes),
  ...paging(list),
});

/** Returns one record with those of the members of `include` that are set. */
export async function withIncluded(
  ask: Ask,
  get: Endpoint,
  { id }: Arguments,
  names: readonly string[],
): Promise<View> {
  const record = await ask(get, { id, include: names.join(',') });
  const [members, others] = [true, false].map((isMember) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name) === isMember)),
  );
  return { ...others, ...(withoutUnset(members) as object) };
}

/** Returns a copy without null, empty lists, and empty objects. */
function withoutUnset(value: unknown): unknown {
  if (isList(value)) return value.map(withoutUnset);
  if (!isObject(value)) return value;
  const set = Object.entries(value).map(([name, one]) => [name, withoutUnset(one)] as const);
  return Object.fromEntries(set.filter(([, one]) => !isNothing(one)));
}
