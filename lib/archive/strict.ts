import * as v from 'valibot';
import { fieldErrors } from '#lib/fields.ts';
import { firstCharacters, oneLine, withoutControls } from '#lib/text.ts';

/** What the schemas of rows consist of. `strict`: what this release writes there (lib/schema.ts). */
interface Parts {
  strict?: v.GenericSchema | undefined;
  entries?: Record<string, Schema> | undefined;
  item?: Schema | undefined;
  wrapped?: Schema | undefined;
  value?: Schema | undefined;
}
type Schema = v.GenericSchema & Parts;

/** Why a value that its schema reads is none that this release writes, with the field; undefined where it is one. */
export function misfit(schema: Schema, value: unknown, path = ''): string | undefined {
  if (value === null || value === undefined) return undefined;
  const { strict, entries, item, wrapped, value: each } = schema;
  const found = strict && unlike(strict, value, path);
  if (found !== undefined) return found;
  if (wrapped) return misfit(wrapped, value, path);
  for (const [name, of, inner] of partsOf({ entries, item, value: each }, value)) {
    const wrong = misfit(
      of,
      inner,
      typeof name === 'number' ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`,
    );
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function* partsOf(
  { entries, item, value: each }: Parts,
  value: unknown,
): Generator<[string | number, Schema, unknown]> {
  if (item && Array.isArray(value)) for (const [index, one] of value.entries()) yield [index, item, one];
  else if (entries) for (const [name, of] of Object.entries(entries)) yield [name, of, (value as Row)[name]];
  else if (each) for (const [name, one] of Object.entries(value as Row)) yield [name, each, one];
}

type Row = Record<string, unknown>;

/**
 * The value with its texts as this release would write them, which earlier ones wrote with line breaks and control characters or
 * longer. What no such change makes fit stays.
 */
export function mended(schema: Schema, value: unknown): unknown {
  const { strict, entries, item, wrapped, value: each } = schema;
  if (typeof value === 'string' && strict) return fitting(strict, value);
  if (wrapped) return mended(wrapped, value);
  if (typeof value !== 'object' || value === null) return value;
  const parts = [...partsOf({ entries, item, value: each }, value)].map(
    ([name, of, inner]) => [name, mended(of, inner)] as const,
  );
  if (Array.isArray(value)) return item ? parts.map(([, inner]) => inner) : value;
  return { ...value, ...Object.fromEntries(parts.filter(([name]) => Object.hasOwn(value, name))) };
}

/** In the place of a text of which nothing is left where there must be one. */
const nothingLeft = '\ufffd';

function fitting(strict: v.GenericSchema, text: string): unknown {
  if (unlike(strict, text, '') === undefined) return text;
  for (const cleaned of [withoutControls(text).trim(), oneLine(text)]) {
    const short = firstCharacters(cleaned, limitOf(strict)).trimEnd();
    for (const candidate of [short, ...(short === '' ? [nothingLeft] : [])]) {
      const read = v.safeParse(strict, candidate);
      if (read.success) return read.output;
    }
  }
  return text;
}

/** In characters (lib/schema.ts). */
function limitOf(schema: v.GenericSchema & Parts & { pipe?: readonly object[] }): number {
  const limits = (schema.pipe ?? []).flatMap((part) => {
    if (part !== schema && 'kind' in part && part.kind === 'schema') return limitOf(part as v.GenericSchema);
    return 'type' in part && part.type === 'max_code_points' ? Number((part as { limit?: unknown }).limit) : [];
  });
  if (schema.wrapped) limits.push(limitOf(schema.wrapped));
  return Math.min(Number.MAX_SAFE_INTEGER, ...limits);
}

/** A value is as it is written when its schema leaves it as it is. */
function unlike(strict: v.GenericSchema, value: unknown, path: string): string | undefined {
  const read = v.safeParse(strict, value);
  if (!read.success) return fieldErrors(read.issues, path)[0]?.message;
  return typeof value === 'object' || read.output === value ? undefined : `${path} is spelled as no row has it`;
}
