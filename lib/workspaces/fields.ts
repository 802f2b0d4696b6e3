import type * as v from 'valibot';
import { oncePer } from '#lib/core/async.ts';
import type { Caller } from '#lib/core/caller.ts';
import { fieldObjects } from '#lib/core/choices.ts';
import type { Expand } from '#lib/core/include.ts';
import { notFound } from '#lib/core/problem.ts';
import { scopeOf } from '#lib/core/scopes.ts';
import {
  type CustomValues,
  type Field,
  type FieldObject,
  FieldOrders,
  type FieldQuery,
  Fields,
  isLinked,
  type StoredField,
} from '#lib/entities/field.ts';
import { type By, type Entity, type Item, idOf } from '#lib/table/entity.ts';
import { holderOf } from '#lib/table/entries.ts';
import { listAll, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

export type ShownField = v.InferOutput<typeof Field>;
export type Order = Item<typeof FieldOrders>;

const once = oncePer<UnitOfWork, StoredField[]>();

/** Returns the definitions of an object, archived ones included. A unit of work reads all of its environment once. */
export async function fieldsOf(tx: UnitOfWork, object: FieldObject): Promise<StoredField[]> {
  const read = await once(tx, () => listAll(tx, Fields));
  return read.filter((field) => field.object === object);
}

/** Whether a caller may see the fields of an object. */
export const isVisible = ({ scopes }: Caller, object: FieldObject) => scopes.includes(scopeOf(object, 'read'));

/** Returns the order of the fields of an object. */
export const orderOf = async (tx: UnitOfWork, object: FieldObject): Promise<Order> =>
  (await tx.find(FieldOrders, { object })) ?? { object, fields: [] };

/** Whether a new record of an object must have a value of some field. One read, of a single row. */
export const hasRequiredFields = async (tx: UnitOfWork, object: FieldObject): Promise<boolean> =>
  (await orderOf(tx, object)).fields.some(({ isRequired, isArchived }) => isRequired && !isArchived);

/**
 * Returns the field as answers show it: its position counts the fields of its object that are archived like it. A field that the order
 * did not have yet when it was read comes last.
 */
export function shownIn({ fields }: Order, field: StoredField): ShownField {
  const alike = fields.filter((one) => one.isArchived === field.isArchived);
  const at = alike.findIndex(({ id }) => id === field.id);
  return { ...field, position: (at === -1 ? alike.length : at) + 1 };
}

/** Returns one page of the definitions that the caller may see, newest first. */
export async function listFields(
  tx: UnitOfWork,
  caller: Caller,
  { object, archived, after = Number.POSITIVE_INFINITY, limit }: v.InferOutput<typeof FieldQuery>,
): Promise<Page<ShownField>> {
  const objects = (object ?? fieldObjects).filter((one) => isVisible(caller, one));
  const [orders, ...lists] = await Promise.all([
    Promise.all(objects.map((one) => orderOf(tx, one))),
    ...objects.map((one) => fieldsOf(tx, one)),
  ]);
  const found = lists
    .flatMap((fields, index) => fields.map((field) => shownIn(orders[index] as Order, field)))
    .filter(({ id, isArchived }) => id < after && (archived === 'all' || String(isArchived) === archived))
    .sort((a, b) => b.id - a.id);
  const items = found.slice(0, limit);
  const hasMore = found.length > items.length;
  return { items, hasMore, nextCursor: hasMore ? (items.at(-1)?.id ?? null) : null };
}

/** Returns the definition as stored. Raises 404. */
export const getStoredField = (tx: UnitOfWork, id: number) => tx.get(Fields, { id }, () => notFound('field'));

/** Returns the definition. Raises 404, also where the caller has no scope to read its object. */
export async function getField(tx: UnitOfWork, caller: Caller, id: number): Promise<ShownField> {
  const field = await getStoredField(tx, id);
  if (!isVisible(caller, field.object)) throw notFound('field');
  return shownIn(await orderOf(tx, field.object), field);
}

/** Returns the definition for a write: who manages fields sees all of them. Raises 404. */
export async function getAnyField(tx: UnitOfWork, id: number): Promise<ShownField> {
  const field = await getStoredField(tx, id);
  return shownIn(await orderOf(tx, field.object), field);
}

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
    // The table keeps no order of an object's names.
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

/** Entities whose rows hold values, and how another one with a unique value is found. */
export interface ValueHolder {
  object: FieldObject;
  /** Returns the id of the record that has a unique value (`12=…`). */
  holder(tx: UnitOfWork, uniqueValue: string): Promise<number | undefined>;
}

/** Returns the entity of an object as a holder of values. */
export const valueHolder = <E extends Entity>(object: FieldObject, of: E): ValueHolder => ({
  object,
  async holder(tx, uniqueValue) {
    const item = await holderOf(tx, of, { uniqueValue } as unknown as By<E>);
    return item === undefined ? undefined : idOf(item);
  },
});
