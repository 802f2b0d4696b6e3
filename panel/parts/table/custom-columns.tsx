import type { Schema } from '../../../client/index.ts';
import { shownValue } from '../custom-fields.tsx';
import type { Column } from './column.ts';

export interface WithFields {
  fields?: Readonly<Record<string, unknown>>;
}

const widths: Partial<Record<Schema<'Field'>['type'], number>> = {
  long_text: 16,
  number: 7,
  checkbox: 6,
  multi_select: 14,
};

/** Returns a column for each custom field, shown by its type. */
export const customColumns = <Item extends WithFields>(
  definitions: readonly Schema<'Field'>[],
  names: Parameters<typeof shownValue>[2],
): Column<Item>[] =>
  definitions.map((field) => ({
    name: `fields.${field.slug}`,
    title: field.title,
    widthRem: widths[field.type] ?? 10,
    isNumber: /^(number|money)$/.test(field.type),
    isSortable: field.type !== 'multi_select',
    show: ({ fields }) => shownValue(field, fields?.[field.slug], names),
  }));

/** Returns the members of `include` that rows need: some always, and the custom fields where a column shows one. */
export const includeFor = (names: readonly string[] | undefined, ...always: string[]): string =>
  [...always, ...(names?.some((name) => name.startsWith('fields.')) ? ['fields'] : [])].join(',');

/** Ids of the records that custom fields of a type name in rows. */
export const idsIn = (
  rows: readonly WithFields[],
  definitions: readonly Schema<'Field'>[],
  type: string,
): (number | null)[] => {
  const slugs = definitions.flatMap((field) => (field.type === type ? field.slug : []));
  return rows.flatMap(({ fields }) => slugs.map((slug) => Number(fields?.[slug] ?? 0) || null));
};
