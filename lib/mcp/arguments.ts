import { invalidField } from '#lib/core/problem.ts';
import { typeOf } from './definition.ts';
import { isBlank, isList, isObject, jsonIn, objectIn } from './message.ts';
import type { Arguments, Tool } from './tool.ts';

/** Models fill what is optional with empty texts: only null clears. */
const stated = (args: Arguments): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => !isBlank(value)));

/**
 * Returns the arguments as a model means them: empty texts are absent, also within `filters` and items, and a list, a number, or an
 * object given as text is itself where that is unambiguous. Raises 400 for a text that may be one value of a list or several.
 */
export function meantBy({ takes }: Tool, given: Arguments): Arguments {
  const args = stated(given);
  if (takes['filters'] && typeof args['filters'] === 'string')
    args['filters'] = objectIn(args['filters']) ?? args['filters'];
  if (takes['filters'] && isObject(args['filters'])) args['filters'] = stated(args['filters']);
  for (const [name, value] of Object.entries(args)) {
    const parameter = Object.hasOwn(takes, name) && name !== 'filters' ? takes[name] : undefined;
    if (parameter) args[name] = itemsStated(name, meant(name, value, typeOf(parameter.schema)));
  }
  return args;
}

function itemsStated(name: string, value: unknown): unknown {
  if (!isList(value)) return value;
  if (value.some((item) => typeof item === 'string' && jsonIn(item, isList))) throw noList(name);
  return value.map((item) => (isObject(item) ? stated(item) : item));
}

function meant(name: string, value: unknown, { type, items }: Record<string, unknown>): unknown {
  const types = [type].flat();
  if (typeof value !== 'string' || types.includes('string')) return value;
  const text = value.trim();
  if (types.includes('array')) return listIn(name, text, items as Record<string, unknown> | undefined);
  if (types.includes('object')) return jsonIn(text, isObject) ?? value;
  if (types.includes('boolean') && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber && /^-?\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : value;
}

/** Ids and words of an enum have no commas; a tag may have one. */
function listIn(name: string, text: string, items: Record<string, unknown> = {}): unknown {
  const list = jsonIn(text, isList);
  if (list !== undefined) return list;
  if (!text.includes(',') && !/^[[{]/.test(text)) return [text];
  if (items['type'] === 'string' && !items['enum']) throw noList(name);
  return text.split(',').map((one) => one.trim());
}

const noList = (name: string) => invalidField(name, 'invalid_type', `${name} must be a list: ["a", "b"]`);
