import { UsageError } from './verb.ts';

/** Field of `key=value`: JSON if the value is JSON (numbers, true, null, lists), else a text. */
export interface Field {
  path: string[];
  text: string;
  value: unknown;
}

export function fieldOf(given: string): Field {
  const [, name, text] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || text === undefined) throw new UsageError(`"${given}" is not key=value`);
  return { path: name.split('.'), text, value: readValue(text) };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** With a field set, and what it is within made where it is missing. */
export function withField(body: object, { path: [name = '', ...inner], ...field }: Field): object {
  if (inner.length === 0) return { ...body, [name]: field.value };
  const within: unknown = Object.hasOwn(body, name) ? body[name as never] : undefined;
  const isObject = typeof within === 'object' && within !== null && !Array.isArray(within);
  return { ...body, [name]: withField(isObject ? within : {}, { path: inner, ...field }) };
}
