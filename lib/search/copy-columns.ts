import type { SchemaElement } from 'hyparquet';
import type { StoredField } from '#lib/entities/field.ts';
import { searchFieldOf } from './custom.ts';
import * as forms from './forms.ts';
import { type CopiedRecords, type SearchField, searchedText } from './nouns.ts';

/** A column of a copy, called after the field that it holds (docs/query-your-data.md). */
export interface Column {
  name: string;
  form: forms.Form;
  of(row: never): unknown;
}

/** Raised with each change of what the columns of a noun hold: older copies are then written anew. */
export const copyFormat = 1;

/** Column of the time since which a row is archived. */
export const archivedColumn = 'archivedAt';
/** Column of the text in which the words of `q` are looked for. */
export const textColumn = 'searchText';

/** Returns the columns of a kind of record with these custom fields; archived fields have none. */
export function columnsOf(noun: CopiedRecords, fields: readonly StoredField[]): Column[] {
  const shown = fields.filter(({ isArchived }) => !isArchived);
  return [
    ...Object.values(noun.fields).flatMap(columnIn),
    { name: archivedColumn, form: forms.time, of: ({ archive }: Row) => archive?.archivedAt },
    { name: textColumn, form: forms.text, of: (row) => searchedText(noun, row) },
    ...shown.map(searchFieldOf).flatMap(columnIn),
    ...(noun.object === undefined ? [] : [{ name: 'metadata', form: forms.json, of: ({ metadata }: Row) => metadata }]),
  ];
}

interface Row {
  archive?: { archivedAt: string };
  metadata: object;
}

function columnIn({ kind, of, from: [name = ''], isMade }: SearchField): Column[] {
  if (isMade) return [];
  return [{ name, form: name === 'id' ? forms.integer : kind.form, of: (row) => of(row, '') }];
}

/** Returns the columns of a row in their order, as the file has them. */
export const valuesOf = (columns: readonly Column[], row: never): unknown[] =>
  columns.map(({ form, of }) => {
    const value = of(row) ?? null;
    return value === null ? null : form.write(value as never);
  });

/** Returns the schema of the file. */
export const schemaOf = (columns: readonly Column[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.flatMap(({ name, form }) => form.elements(name)),
];
