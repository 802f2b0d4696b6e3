import { conflict, invalidField } from '#lib/core/problem.ts';
import {
  type CreateField,
  canBeUnique,
  type FieldObject,
  FieldOrders,
  Fields,
  hasOptions,
  isLinked,
  maxFields,
  maxFieldsInAll,
  maxLinkFields,
  maxOptionsInAll,
  maxOptionsOfObject,
  maxUniqueFields,
  type PatchField,
  type StoredField,
  type StoredOption,
} from '#lib/entities/field.ts';
import { defaultColor, sameName } from '#lib/entities/tag.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf, getStoredField, type Order, orderOf, type ShownField, shownIn } from './fields.ts';

/** Adds a field. Emits field.created. Raises 400, 409 `field_slug_taken` and `limit_reached`. */
export async function createField(tx: UnitOfWork, input: CreateField): Promise<ShownField> {
  const { object, slug, type, position, options = [], ...given } = input;
  requireOptions(type, input.options !== undefined);
  if (given.isUnique && !canBeUnique(type))
    throw invalidField(
      'isUnique',
      'not_allowed',
      `isUnique is only for text, number, email, phone, and url, not for ${type}`,
    );
  const [order] = await Promise.all([orderOf(tx, object), tx.reserveIds({ [Fields.name]: 1 })]);
  const taken = order.fields.find((field) => field.slug === slug);
  if (taken)
    throw conflict('field_slug_taken', `field ${taken.id} of ${object} has the slug ${slug}: choose another one`, {
      fieldId: taken.id,
    });
  requireRoom(order);
  const others = await fieldsOf(tx, object);
  requireRoomInAll(order, others, { type, isUnique: given.isUnique });
  requireOptionRoom(object, others, options.length);
  const field = tx.create(Fields, {
    id: await tx.nextId(Fields),
    object,
    slug,
    type,
    title: given.title,
    description: given.description,
    options: nextOptions([], options),
    isRequired: given.isRequired,
    isUnique: given.isUnique,
    isArchived: false,
    createdAt: tx.now,
    updatedAt: null,
  });
  const saved = saveOrder(
    tx,
    order,
    moved(
      [...order.fields, { id: field.id, slug, isArchived: false, isRequired: field.isRequired }],
      field.id,
      position,
    ),
  );
  emit(tx, 'field.created', field);
  return shownIn(saved, field);
}

/** Changes the given parts of a definition. Emits field.updated unless nothing changed. Raises 400, 404, 409 `limit_reached`. */
export async function patchField(tx: UnitOfWork, id: number, patch: PatchField): Promise<ShownField> {
  const field = await getStoredField(tx, id);
  let order = await orderOf(tx, field.object);
  requireOptions(field.type, patch.options !== undefined);
  const next = {
    ...field,
    title: patch.title ?? field.title,
    description: patch.description === undefined ? field.description : patch.description,
    isRequired: patch.isRequired ?? field.isRequired,
    options: patch.options === undefined ? field.options : nextOptions(field.options, patch.options),
  };
  if (next.options.length > field.options.length) {
    const others = (await fieldsOf(tx, field.object)).filter((one) => one.id !== id);
    requireOptionRoom(field.object, others, next.options.length);
  }
  const { isRequired } = next;
  const marked = order.fields.map((one) =>
    one.id === id && one.isRequired !== isRequired ? { ...one, isRequired } : one,
  );
  const fields = moved(marked, id, patch.position);
  const isReordered = fields.some((one, index) => one !== order.fields[index]);
  if (JSON.stringify(next) === JSON.stringify(field) && !isReordered) return shownIn(order, field);
  if (isReordered) order = saveOrder(tx, order, fields);
  const saved = tx.update(Fields, { ...next, updatedAt: tx.now });
  emit(tx, 'field.updated', saved);
  return shownIn(order, saved);
}

/** Archives a field, or brings it back; the same again changes nothing. Emits field.updated. Raises 404, 409 `limit_reached`. */
export async function setFieldArchived(tx: UnitOfWork, id: number, isArchived: boolean): Promise<ShownField> {
  const field = await getStoredField(tx, id);
  const order = await orderOf(tx, field.object);
  if (field.isArchived === isArchived) return shownIn(order, field);
  if (!isArchived) requireRoom(order);
  const fields = order.fields.map((one) => (one.id === id ? { ...one, isArchived } : one));
  const saved = tx.update(Fields, { ...field, isArchived, updatedAt: tx.now });
  emit(tx, 'field.updated', saved);
  return shownIn(saveOrder(tx, order, fields), saved);
}

function requireRoom({ object, fields }: Order): void {
  if (fields.filter(({ isArchived }) => !isArchived).length >= maxFields)
    throw conflict('limit_reached', `${object} has ${maxFields} fields that are not archived: archive one first`, {
      limit: maxFields,
    });
}

/** Raises 409 `limit_reached` for a field above a limit that counts archived ones too, because records keep their values. */
function requireRoomInAll(
  { object, fields: all }: Order,
  others: readonly StoredField[],
  { type, isUnique }: Pick<StoredField, 'type' | 'isUnique'>,
): void {
  const limits = [
    ['fields', all, maxFieldsInAll, true],
    ['unique fields', others.filter((one) => one.isUnique), maxUniqueFields, isUnique],
    ['fields of type contact or company', others.filter(isLinked), maxLinkFields, isLinked({ type })],
  ] as const;
  for (const [what, fields, limit, isMeant] of limits)
    if (isMeant && fields.length >= limit)
      throw conflict('limit_reached', `${object} has ${limit} ${what}, archived ones included: restore one of them`, {
        limit,
      });
}

function requireOptionRoom(object: FieldObject, others: readonly StoredField[], count: number): void {
  if (count + others.reduce((sum, { options }) => sum + options.length, 0) > maxOptionsOfObject)
    throw conflict(
      'limit_reached',
      `fields of ${object} have at most ${maxOptionsOfObject} options together, archived ones included: use a text field`,
      { limit: maxOptionsOfObject },
    );
}

function requireOptions(type: StoredField['type'], hasGiven: boolean): void {
  if (hasGiven && !hasOptions(type))
    throw invalidField('options', 'not_allowed', `options are only for select and multi_select, not for ${type}`);
}

function saveOrder(tx: UnitOfWork, before: Order, fields: Order['fields']): Order {
  const order = { ...before, fields };
  return before.fields.length === 0 ? tx.create(FieldOrders, order) : tx.update(FieldOrders, order);
}

/** Returns the fields with one at a position among those archived alike. The others keep their place in the list, for a restore. */
function moved(fields: Order['fields'], id: number, position: number | undefined): Order['fields'] {
  const own = fields.find((field) => field.id === id);
  if (position === undefined || own === undefined) return fields;
  const others = fields.filter((field) => field.id !== id);
  const alike = others.filter(({ isArchived }) => isArchived === own.isArchived);
  const behind = alike[position - 1];
  const at = behind === undefined ? others.length : others.indexOf(behind);
  return others.toSpliced(at, 0, own);
}

interface GivenOption {
  id?: number | undefined;
  label: string;
  color?: string | undefined;
}

/**
 * Returns the options after a change: those that are left out become archived. Raises 400 for an unknown id and for one label twice,
 * 409 `limit_reached`.
 */
function nextOptions(before: readonly StoredOption[], given: readonly GivenOption[]): StoredOption[] {
  let lastId = before.reduce((last, { id }) => Math.max(last, id), 0);
  const labels = new Set<string>();
  const ids = new Set<number>();
  const kept = given.map((option, index): StoredOption => {
    // A label that is there without its id means that option, also one that was archived.
    const known = before.find(({ id, label }) =>
      option.id === undefined ? sameName(label) === sameName(option.label) : id === option.id,
    );
    if (option.id !== undefined && known === undefined)
      throw invalidField(`options[${index}].id`, 'unknown_reference', `the field has no option ${option.id}`);
    if (known === undefined) lastId += 1;
    const id = known?.id ?? lastId;
    if (labels.has(sameName(option.label)) || ids.has(id))
      throw invalidField(`options[${index}].label`, 'not_allowed', `options[${index}] is given twice`);
    labels.add(sameName(option.label));
    ids.add(id);
    return {
      id,
      label: option.label,
      color: option.color ?? known?.color ?? defaultColor(option.label),
      isArchived: false,
    };
  });
  const left = before.filter(({ id }) => !kept.some((option) => option.id === id));
  for (const [index, { label }] of kept.entries()) {
    // Values of both would look the same.
    const archived = left.find((option) => sameName(option.label) === sameName(label));
    if (archived)
      throw invalidField(
        `options[${index}].label`,
        'not_allowed',
        `options[${index}].label is that of the archived option ${archived.id}: give this id, or another label`,
      );
  }
  // Values may still have an archived option, so none of them is ever dropped.
  if (kept.length + left.length > maxOptionsInAll)
    throw conflict(
      'limit_reached',
      `a field has at most ${maxOptionsInAll} options, archived ones included: use an archived one again, or create a new field`,
      { limit: maxOptionsInAll },
    );
  return [...kept, ...left.map((option) => ({ ...option, isArchived: true }))];
}

function emit(tx: UnitOfWork, kind: 'field.created' | 'field.updated', field: StoredField): void {
  tx.emit({
    kind,
    subject: `field/${field.id}`,
    data: {
      field_id: String(field.id),
      object: field.object,
      slug: field.slug,
      title: field.title,
      type: field.type,
      is_archived: field.isArchived,
      actor: tx.eventActor,
    },
  });
}
