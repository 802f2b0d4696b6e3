import * as v from 'valibot';
import { type FieldCode, type FieldError, invalidFields } from './problem.ts';
import { firstCharacters } from './text.ts';

const codes: Record<string, FieldCode> = {
  min_code_points: 'too_short',
  max_code_points: 'too_long',
  max_bytes: 'too_long',
  not_allowed: 'not_allowed',
  min_length: 'too_short',
  max_length: 'too_many',
  min_value: 'out_of_range',
  max_value: 'out_of_range',
  picklist: 'invalid_enum',
  integer: 'invalid_type',
  regex: 'invalid_format',
  check: 'invalid_format',
};

/** Callers name their fields as they like. */
const maxNameCharacters = 100;
const maxNames = 20;

/** The field errors of a failed parse (contract 0.5), one for each field: nested as `items[3].phone`, of a query as `query.stage`. */
export function fieldErrors(issues: readonly v.BaseIssue<unknown>[], prefix = ''): FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const issue of issues) {
    const field = firstCharacters(`${prefix}${pathOf(issue)}`, maxNameCharacters) || 'body';
    const code = codeOf(issue);
    if (!errors.has(field)) errors.set(field, { field, code, message: `${field} ${sentence(code, issue)}` });
  }
  return [...errors.values()];
}

function pathOf(issue: v.BaseIssue<unknown>): string {
  let path = '';
  for (const { key } of issue.path ?? [])
    path += typeof key === 'number' ? `[${key}]` : path === '' ? String(key) : `.${String(key)}`;
  return path;
}

function codeOf(issue: v.BaseIssue<unknown>): FieldCode {
  if (issue.kind === 'schema') {
    if (issue.input === undefined || issue.input === null) return 'required';
    if (issue.type === 'picklist') return typeof issue.input === 'string' ? 'invalid_enum' : 'invalid_type';
    if (issue.type === 'variant' || issue.type === 'union' || issue.type === 'literal') return 'invalid_enum';
    return 'invalid_type';
  }
  return codes[issue.type] ?? 'invalid_format';
}

function sentence(code: FieldCode, issue: v.BaseIssue<unknown>): string {
  if (code === 'required') return 'is required';
  if (code === 'invalid_type' && issue.kind === 'schema') return `must be ${typeNamed(issue.expected)}`;
  // valibot's own sentences quote the input, which may be a secret or a message.
  return issue.message.startsWith('must ') || issue.message.startsWith('is ') ? issue.message : 'is invalid';
}

const articles: Record<string, string> = { Object: 'an object', Array: 'an array' };

/** `string`, `(string | null)`, `Object` in words. */
function typeNamed(expected: string | null): string {
  if (expected === null) return 'of another type';
  const names = expected.replace(/^\((.*)\)$/, '$1').split(' | ');
  return names.map((name) => (name === 'null' ? name : (articles[name] ?? `a ${name}`))).join(' or ');
}

/**
 * The input as its schema reads it. Raises 400 with every wrong field, also those that are `readOnly`: known, but changed by another
 * operation that is named (contract 0.1).
 */
export function parseFields<Schema extends v.GenericSchema>(
  schema: Schema,
  input: object,
  readOnly: Record<string, string> = {},
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, input);
  const elsewhere = Object.entries(readOnly).filter(([field]) => Object.hasOwn(input, field));
  const wrong: FieldError[] = [
    ...elsewhere.map(([field, pointer]) => ({
      field,
      code: 'not_allowed' as const,
      message: `${field} cannot be changed here: use ${pointer}`,
    })),
    ...(parsed.success ? [] : fieldErrors(parsed.issues)),
  ];
  if (wrong.length > 0 || !parsed.success) throw invalidFields(wrong);
  return parsed.output;
}

/** The named fields of an object schema, also of an optional, a piped or a variant one; none for other schemas. */
export function entriesOf(schema: v.GenericSchema | undefined): Record<string, v.GenericSchema> {
  if (schema === undefined) return {};
  const { entries, options, pipe, wrapped } = schema as {
    entries?: Record<string, v.GenericSchema>;
    options?: unknown[];
    pipe?: v.GenericSchema[];
    wrapped?: v.GenericSchema;
  };
  if (entries) return entries;
  if (wrapped) return entriesOf(wrapped);
  if (pipe) return entriesOf(pipe[0]);
  return Object.assign({}, ...(options ?? []).map((option) => entriesOf(option as v.GenericSchema)));
}

/** Returns the schema of the items of a list, also of an optional or a piped one; undefined for other schemas. */
export function itemOf(schema: v.GenericSchema | undefined): v.GenericSchema | undefined {
  const { item, pipe, wrapped } = (schema ?? {}) as {
    item?: v.GenericSchema;
    pipe?: v.GenericSchema[];
    wrapped?: v.GenericSchema;
  };
  return item ?? (wrapped || pipe ? itemOf(wrapped ?? pipe?.[0]) : undefined);
}

/**
 * Returns the fields of an input that its schema does not know, also within objects and lists (`filter.tag`, `buttons[0][0].color`);
 * none for a schema whose names are free. A batch names those of its items itself.
 */
export function unknownFields(schema: v.GenericSchema | undefined, input: object): string[] {
  const entries = entriesOf(schema);
  if (Object.keys(entries).length === 0 && schema?.type !== 'object') return [];
  return Object.entries(input).flatMap(([name, value]) =>
    Object.hasOwn(entries, name) ? unknownWithin(entries[name], value).map((inner) => `${name}${inner}`) : [name],
  );
}

function unknownWithin(schema: v.GenericSchema | undefined, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (!Array.isArray(value)) return unknownFields(schema, value).map((inner) => `.${inner}`);
  const item = itemOf(schema);
  if (item === undefined || item.type === 'variant') return [];
  return value.flatMap((one, index) => unknownWithin(item, one).map((inner) => `[${index}]${inner}`));
}

const notAllowed = (names: Iterable<string>, why: string) =>
  [...names].map((name): FieldError => {
    const field = firstCharacters(name, maxNameCharacters);
    return { field, code: 'not_allowed', message: `${field} ${why}` };
  });

function refuse(wrong: readonly FieldError[]): void {
  if (wrong.length > 0) throw invalidFields(wrong);
}

/** Refuses the names that nothing knows, for a caller who asks for it. Raises 400 `not_allowed`. */
export const requireKnown = (unknown: readonly string[], prefix = ''): void =>
  refuse(
    notAllowed(
      unknown.map((name) => `${prefix}${name}`),
      'is unknown, which Prefer: handling=strict refuses',
    ),
  );

/** Refuses the parameters of one value that are given more than once. Raises 400 `not_allowed`. */
export const requireOnce = (repeated: Iterable<string>): void => refuse(notAllowed(repeated, 'is given twice'));

/** Returns names as a header takes them, which is only some characters, and not too many: `a`, `b`, `+3 more`. */
export function boundNames(names: Iterable<string>): string[] {
  const all = [...new Set(names)];
  const shown = all.slice(0, maxNames).map((name) => {
    const start = name.slice(0, maxNameCharacters + 1).toWellFormed();
    const text = start.replaceAll(/[^!-+\--~]/gu, encodeURIComponent);
    return text.length <= maxNameCharacters ? text : `${text.slice(0, maxNameCharacters).replace(/%.?$/, '')}...`;
  });
  return all.length > maxNames ? [...shown, `+${all.length - maxNames} more`] : shown;
}
