import { fieldObjectOf, type ImportObject } from '#lib/core/choices.ts';
import { metadataKeyIn } from '#lib/core/metadata.ts';
import { type FieldError, invalidField, invalidFields } from '#lib/core/problem.ts';
import type { StoredField } from '#lib/entities/field.ts';
import type { FileForm } from '#lib/entities/import.ts';
import { type CellKind, readCell, readText } from '#lib/sheets/cells.ts';
import { fieldColumn, isRecordObject } from '#lib/sheets/columns.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf } from '#lib/workspaces/fields.ts';
import { importedObjects } from './objects/all.ts';
import type { RowInput } from './objects/object.ts';
import type { SourceRow } from './rows.ts';

/** A header and the name that its values are imported under. */
export interface MappedColumn {
  header: string;
  field: string;
}

/** Returns the custom fields of an object that take values; none for notes. */
export async function openFields(tx: UnitOfWork, object: ImportObject): Promise<StoredField[]> {
  if (!isRecordObject(object)) return [];
  return (await fieldsOf(tx, fieldObjectOf[object])).filter(({ isArchived }) => !isArchived);
}

/** Returns how cells of a target are read; undefined for what is no target. */
export function kindOf(object: ImportObject, field: string, fields: readonly StoredField[]): CellKind | undefined {
  const { targets } = importedObjects[object];
  if (Object.hasOwn(targets, field)) return targets[field];
  if (!isRecordObject(object)) return undefined;
  if (metadataKeyIn(field) !== undefined) return field.endsWith(prototype) ? undefined : 'text';
  const custom = fields.find(({ slug }) => field === `fields.${slug}`);
  return custom && fieldColumn(custom).kind;
}

const listKinds: readonly CellKind[] = ['texts', 'integers'];

/** Whether several columns may go under one name: lists are united, texts joined. */
const takesSeveral = (object: ImportObject, { field }: MappedColumn, kind: CellKind): boolean =>
  listKinds.includes(kind) || Object.hasOwn(importedObjects[object].joined, field);

/** Raises 400 for a name that nothing is imported under, and for one that two columns cannot share. */
export function requireMapping(
  object: ImportObject,
  mapping: readonly MappedColumn[],
  fields: readonly StoredField[],
): void {
  if (mapping.length === 0)
    throw invalidField('mapping', 'required', 'mapping must name a column: see POST /v1/imports/preview');
  const wrong: FieldError[] = [];
  const taken = new Set<string>();
  for (const column of mapping) {
    const name = `mapping.${column.header}`;
    const kind = kindOf(object, column.field, fields);
    if (kind === undefined)
      wrong.push({
        field: name,
        code: 'unknown_reference',
        message: `${name} is no field of ${object} that an import sets: see POST /v1/imports/preview`,
      });
    else if (taken.has(column.field) && !takesSeveral(object, column, kind))
      wrong.push({
        field: name,
        code: 'not_allowed',
        message: `${name} has the field of another column: map one of them`,
      });
    taken.add(column.field);
  }
  if (wrong.length > 0) throw invalidFields(wrong);
}

/** Raises 400 for a name that does not tell records apart, or that no column is mapped to. */
export function requireMatchOn(
  object: ImportObject,
  matchOn: string,
  mapping: readonly MappedColumn[],
  fields: readonly StoredField[],
): void {
  const { matchKeys, matchesMetadata } = importedObjects[object];
  const isUnique = fields.some(({ slug, isUnique }) => isUnique && matchOn === `fields.${slug}`);
  const isMetadata = matchesMetadata && metadataKeyIn(matchOn) !== undefined;
  if (!matchKeys.includes(matchOn) && !isUnique && !isMetadata) {
    const names = [
      ...matchKeys,
      ...(matchesMetadata ? ['metadata.<key>'] : []),
      ...(isRecordObject(object) ? ['fields.<slug> of a unique field'] : []),
    ];
    throw invalidField('matchOn', 'invalid_enum', `matchOn must be one of ${names.join(', ')}`);
  }
  const isMapped = mapping.some(({ field }) => field === matchOn || (matchOn === 'domain' && field === 'domains'));
  if (!isMapped)
    throw invalidField('matchOn', 'not_allowed', `matchOn names ${matchOn}, to which no column is mapped: map one`);
}

/** Returns what a row sets. Empty cells, and null of an object, set nothing. */
export class Reader {
  readonly #object: ImportObject;
  readonly #mapping: readonly (MappedColumn & { kind: CellKind })[];
  readonly #currency: string;
  readonly #readText: typeof readText;

  /** Raises 400 where a custom field of the mapping is gone. */
  constructor(
    { object, mapping, format }: { object: ImportObject; mapping: readonly MappedColumn[]; format: FileForm['format'] },
    fields: readonly StoredField[],
    currency: string,
  ) {
    requireMapping(object, mapping, fields);
    this.#object = object;
    this.#mapping = mapping.map((one) => ({ ...one, kind: kindOf(object, one.field, fields) as CellKind }));
    this.#currency = currency;
    // Only cells of CSV are guarded against spreadsheets.
    this.#readText = format === 'csv' ? readCell : readText;
  }

  read({ values }: Pick<SourceRow, 'values'>): RowInput {
    const input: Record<string, unknown> = {};
    const custom: Record<string, unknown> = Object.create(null);
    const metadata: Record<string, unknown> = {};
    for (const { header, field, kind } of this.#mapping) {
      const value = this.#valueOf(kind, values.get(header));
      if (value === undefined) continue;
      if (field.startsWith('fields.')) custom[field.slice('fields.'.length)] = value;
      else if (field === 'metadata' && isPlain(value)) Object.assign(metadata, withoutPrototype(value));
      else if (metadataKeyIn(field) !== undefined) metadata[String(metadataKeyIn(field))] = textOf(value);
      else input[field] = Object.hasOwn(input, field) ? this.#united(field, input[field], value) : value;
    }
    for (const values of [input, custom]) shortenLists(values);
    return {
      ...this.#withAmount(input),
      ...(Object.keys(custom).length > 0 && { fields: custom }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    };
  }

  #valueOf(kind: CellKind, value: unknown): unknown {
    if (value === null || value === undefined || value === '') return undefined;
    if (typeof value !== 'string') return kind === 'text' && typeof value === 'number' ? String(value) : value;
    const read = this.#readText(kind, value);
    // An amount without its currency has that of the workspace, or of the deal.
    if (kind !== 'money' || typeof read !== 'string' || !/^[+-]?\d+(\.\d+)?$/.test(read)) return read;
    return this.#object === 'deals' ? Number(read) : { amount: Number(read), currency: this.#currency };
  }

  #united(field: string, first: unknown, second: unknown): unknown {
    if (Array.isArray(first)) return [...first, ...(Array.isArray(second) ? second : [second])];
    if (typeof first === 'object' || typeof second === 'object')
      throw invalidField(field, 'invalid_type', `${field} must be a text in each of its columns`);
    return `${String(first).trim()}${importedObjects[this.#object].joined[field] ?? ' '}${String(second).trim()}`;
  }

  /** The value of a deal may say its currency: `12.50 EUR`. */
  #withAmount(input: Record<string, unknown>): Record<string, unknown> {
    if (this.#object !== 'deals' || !isPlain(input['value'])) return input;
    const { amount, currency } = input['value'];
    return { ...input, value: amount, currency };
  }
}

/** Limit of the values of one row for one field. */
const maxValues = 100;

/** Leaves each value once in each list. Raises 400 for a list with too many. */
function shortenLists(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!Array.isArray(value)) continue;
    const each = [...new Set(value)];
    if (each.length > maxValues)
      throw invalidField(name, 'too_many', `${name} must have at most ${maxValues} different values`);
    values[name] = each;
  }
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the members of an object without one that would become its prototype. */
const withoutPrototype = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== prototype));
const prototype = '__proto__';

/** Returns a value as text, of whatever form it is. */
export const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
