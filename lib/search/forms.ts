import type { SchemaElement } from 'hyparquet';
import { dayMs, timestamp } from '#lib/core/clock.ts';

/** How values lie in a column of Parquet. */
export interface Form {
  elements(name: string): SchemaElement[];
  /** Returns a value of a row as the file has it. */
  write(value: never): unknown;
  /** Returns a value of the file as rows have it. */
  read(value: never): unknown;
  /** Values are compared as the file has them. */
  isComparable?: true;
  /** Value that rows have for none, where that is not null. */
  none?: unknown;
}

const same = (value: unknown): unknown => value;
const optional = (name: string, type: Omit<SchemaElement, 'name' | 'repetition_type'>): SchemaElement => ({
  name,
  repetition_type: 'OPTIONAL',
  ...type,
});
const plain = (type: Omit<SchemaElement, 'name' | 'repetition_type'>): Form => ({
  elements: (name) => [optional(name, type)],
  write: same,
  read: same,
});

export const text = plain({ type: 'BYTE_ARRAY', converted_type: 'UTF8' });
export const integer = plain({ type: 'INT32' });
export const long: Form = {
  ...plain({ type: 'INT64' }),
  write: (value: number) => BigInt(value),
  read: (value: bigint) => Number(value),
};
export const double = plain({ type: 'DOUBLE' });
export const boolean = plain({ type: 'BOOLEAN' });

/** Milliseconds since 1970. */
export const time: Form = {
  ...plain({ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }),
  write: (value: string) => Date.parse(value),
  read: (value: number) => timestamp(new Date(value)),
  isComparable: true,
};

/** Days since 1970. */
export const date: Form = {
  ...plain({ type: 'INT32', converted_type: 'DATE' }),
  write: (value: string) => Date.parse(`${value}T00:00:00Z`) / dayMs,
  read: (value: number) => timestamp(new Date(value * dayMs)).slice(0, 10),
};

export const json = plain({ type: 'BYTE_ARRAY', converted_type: 'JSON' });

export const money: Form = {
  elements: (name) => [optional(name, { num_children: 2 }), ...double.elements('amount'), ...text.elements('currency')],
  write: same,
  read: same,
};

/** Values that have names in the file, as options have their labels. */
export const named = (names: ReadonlyMap<unknown, string>): Form => {
  const values = new Map([...names].map(([value, name]) => [name, value]));
  return { ...text, write: (value) => names.get(value), read: (name) => values.get(name) };
};

export const listOf = (form: Form): Form => ({
  elements: (name) => [
    optional(name, { converted_type: 'LIST', num_children: 1 }),
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...form.elements('element'),
  ],
  write: (values: never[]) => values.map((one) => form.write(one)),
  read: (values: never[]) => values.map((one) => form.read(one)),
  none: [],
});
