import type * as v from 'valibot';
import { entriesOf, itemOf } from '#lib/core/fields.ts';
import { invalidField } from '#lib/core/problem.ts';
import { takesSeveral } from '#lib/core/schema.ts';
import { typeOf } from './definition.ts';
import { isEmpty, isList, isNothing, isObject, jsonIn, objectIn } from './message.ts';
import { type Arguments, endpointsOf, isChoice, type Tool } from './tool.ts';

type SchemaOf = (name: string) => v.GenericSchema | undefined;

/**
 * Returns the arguments as a model means them, also within `filters`, lists, and items. What is empty is absent, and a list, a number,
 * or an object given as text is itself. Raises 400 for a text that may be one value of a list or several.
 */
export function meantBy(tool: Tool, given: Arguments): Arguments {
  const schemaOf = schemasOf(tool, given);
  if (!tool.takes['filters']) return fieldsMeant(given, schemaOf);
  const { filters, ...others } = given;
  const ofFilters = objectIn(filters);
  return withoutNulls({
    ...fieldsMeant(others, schemaOf),
    filters: ofFilters ? fieldsMeant(ofFilters, schemaOf) : filters,
  });
}

/** Returns the schemas of arguments: the tool's for those that it reads itself, else those of the operations that it runs. */
function schemasOf({ takes, uses }: Tool, given: Arguments): SchemaOf {
  const chosen = isChoice(uses) ? uses.values[String(given[uses.by] ?? uses.usual)] : undefined;
  const ofOperations = (chosen ?? endpointsOf({ uses } as Tool)).flatMap(({ route: { body, query } }) =>
    [body, query].map((schema) => entriesOf(schema)),
  );
  return (name) => {
    const own = Object.hasOwn(takes, name) ? takes[name] : undefined;
    if (own?.isOwn) return own.schema;
    return ofOperations.find((entries) => Object.hasOwn(entries, name))?.[name] ?? own?.schema;
  };
}

/** A filter that is null filters nothing. */
const withoutNulls = (args: Arguments): Arguments =>
  Object.fromEntries(
    Object.entries(args)
      .map(([name, value]) => [name, isObject(value) ? withoutNulls(value) : value] as const)
      .filter(([, value]) => !isNothing(value)),
  );

function fieldsMeant(given: Arguments, schemaOf: SchemaOf, at = ''): Arguments {
  return Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => {
        const schema = schemaOf(name);
        return [name, isEmpty(value) || !schema ? value : meant(`${at}${name}`, value, schema)] as const;
      })
      .filter(([, value]) => !isEmpty(value)),
  );
}

const types = new WeakMap<v.GenericSchema, ReadonlySet<unknown>>();

function typesOf(schema: v.GenericSchema): ReadonlySet<unknown> {
  const known = types.get(schema) ?? new Set([typeOf(schema)['type']].flat());
  types.set(schema, known);
  return known;
}

function meant(at: string, given: unknown, schema: v.GenericSchema): unknown {
  const value = typeof given === 'string' ? readText(at, given, schema) : given;
  if (isObject(value)) {
    const entries = entriesOf(schema);
    return fieldsMeant(value, (name) => (Object.hasOwn(entries, name) ? entries[name] : undefined), `${at}.`);
  }
  if (!isList(value)) return value;
  const item = itemOf(schema);
  return value.map((one, index) => {
    if (typeof one === 'string' && isListed(one) && (!item || typesOf(item).has('string'))) throw noList(at);
    return item ? meant(`${at}[${index}]`, one, item) : one;
  });
}

/** Texts by which something is found again, which nobody means to be a list. */
const isName = (at: string) => /(^|\.)(name|tagName|title|company|category)$/.test(at);
/** Whether a text begins as a list or an object of texts does, in JSON or in Python, or is a list. */
const isListed = (text: string) => /^\s*[[{]\s*["']/.test(text) || jsonIn(text, isList) !== undefined;

function readText(at: string, text: string, schema: v.GenericSchema): unknown {
  const may = typesOf(schema);
  if (may.has('string')) {
    if (isName(at) && isListed(text)) throw invalidField(at, 'invalid_type', `${at} must be one text, not a list`);
    return (takesSeveral(schema) && jsonIn(text, isList)) || text;
  }
  const bare = text.trim();
  if (may.has('array')) return listIn(at, bare, itemOf(schema));
  if (may.has('object') || Object.keys(entriesOf(schema)).length > 0) return jsonIn(bare, isObject) ?? text;
  if (may.has('boolean') && /^(true|false)$/i.test(bare)) return bare.toLowerCase() === 'true';
  const isNumber = may.has('integer') || may.has('number');
  return isNumber && /^-?\d{1,15}(\.\d+)?$/.test(bare) ? Number(bare) : text;
}

/** Ids and words of an enum have no commas; a tag may have one. */
function listIn(at: string, text: string, item: v.GenericSchema | undefined): unknown {
  const list = jsonIn(text, isList);
  if (list !== undefined) return list;
  if (text === 'null') return [];
  const one = /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
  if (!/[,;\n]/.test(one) && !/^[[{]/.test(one)) return [one];
  const { type, enum: values } = item ? typeOf(item) : {};
  if (type === 'string' && !values) throw noList(at);
  return one.split(/[,;\n]/).map((part) => part.trim());
}

const noList = (at: string) => invalidField(at, 'invalid_type', `${at} must be a list: ["a", "b"]`);
