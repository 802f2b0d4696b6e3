import * as v from 'valibot';
import { fieldErrors } from '#lib/fields.ts';

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

/** A value is as it is written when its schema leaves it as it is. */
function unlike(strict: v.GenericSchema, value: unknown, path: string): string | undefined {
  const read = v.safeParse(strict, value);
  if (!read.success) return fieldErrors(read.issues, path)[0]?.message;
  return typeof value === 'object' || read.output === value ? undefined : `${path} is spelled as no row has it`;
}
