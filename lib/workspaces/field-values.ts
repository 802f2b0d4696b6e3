import type { Expand } from '#lib/core/include.ts';
import { type CustomValues, type FieldObject, isLinked, type StoredField } from '#lib/entities/field.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf } from './fields.ts';

/** Returns a value as the row has it: options and records as their ids. */
export const storedValue = ({ values = {}, links = [] }: CustomValues, field: StoredField): unknown =>
  isLinked(field) ? links.find(({ fieldId }) => fieldId === field.id)?.id : values[field.id];

/** Returns a stored value as answers show it: labels for options, and null for none. */
export function shownValue(field: StoredField, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  const labelOf = (id: unknown) => field.options.find((option) => option.id === id)?.label ?? null;
  if (field.type === 'select') return labelOf(value);
  if (field.type === 'multi_select') return (value as unknown[]).map(labelOf).filter((label) => label !== null);
  if (field.type === 'money') {
    // The table keeps no order of an object's names, and the ETag is that of a text.
    const { amount, currency } = value as { amount: number; currency: string };
    return { amount, currency };
  }
  return value;
}

/** Whether answers show a field and callers may set it. */
export const isShown = ({ isArchived }: StoredField) => !isArchived;

/** Returns the values of a record by slug, null where none is set. Archived fields are left out unless `withArchived`. */
export async function shownValues(
  tx: UnitOfWork,
  object: FieldObject,
  row: CustomValues,
  { withArchived = false } = {},
): Promise<Record<string, unknown>> {
  const fields = (await fieldsOf(tx, object)).filter((field) => withArchived || isShown(field));
  return Object.fromEntries(fields.map((field) => [field.slug, shownValue(field, storedValue(row, field))]));
}

/** Returns how `include=fields` is answered for records of an object. */
export const includesFields = (object: FieldObject): Expand<UnitOfWork, CustomValues> => ({
  fields: (tx, rows) => Promise.all(rows.map((row) => shownValues(tx, object, row))),
});
