import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { fieldErrors } from '#lib/core/fields.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { excessOf } from '#lib/core/money.ts';
import { phoneDigits } from '#lib/core/phone.ts';
import { conflict, type FieldError, invalidField, invalidFields } from '#lib/core/problem.ts';
import {
  checked,
  currency,
  idInput,
  integer,
  money,
  nullableLine,
  nullableText,
  nullableTimeInput,
  objectInput,
} from '#lib/core/schema.ts';
import { firstCharacters } from '#lib/core/text.ts';
import { Companies } from '#lib/entities/company.ts';
import { Contacts, emailInput, phoneInput } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { type CustomValues, type FieldType, isLinked, type StoredField } from '#lib/entities/field.ts';
import { Members } from '#lib/entities/member.ts';
import { sameName } from '#lib/entities/tag.ts';
import type { Link } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf, hasRequiredFields, isShown, shownValue, storedValue, type ValueHolder } from './fields.ts';

const maxNumber = 1e15;
const maxNumberDecimals = 6;
const maxUrl = 2048;
const maxSelected = 50;
/** All values of a record in bytes of JSON (revision 1.4, section 28). */
const maxBytes = 64 * 1024;

const isDate = (text: string) => {
  const date = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};
const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);

const number = () =>
  v.pipe(
    v.number(),
    v.minValue(-maxNumber, `must be at least -${maxNumber}`),
    v.maxValue(maxNumber, `must be at most ${maxNumber}`),
    v.check(
      (value) => Number(value.toFixed(maxNumberDecimals)) === value || Math.abs(value) > Number.MAX_SAFE_INTEGER,
      `must have at most ${maxNumberDecimals} decimals`,
    ),
  );
const optionInput = () => v.union([v.string(), integer(1, 2 ** 31 - 1)], 'must be a label or an id of an option');

/** The form of a value as callers give it; null clears. Options and links are looked up afterwards. */
const inputs: Record<FieldType, () => v.GenericSchema> = {
  text: () => nullableLine(500),
  long_text: () => nullableText(10_000),
  number: () => v.nullable(number()),
  money: () =>
    v.nullable(
      v.pipe(
        objectInput({ amount: money(-1e12), currency: currency() }),
        v.rawCheck(({ dataset, addIssue }) => {
          const excess = dataset.typed && excessOf(dataset.value.amount, dataset.value.currency);
          if (excess) addIssue({ message: excess });
        }),
      ),
    ),
  checkbox: () => v.nullable(v.boolean()),
  date: () => v.nullable(v.pipe(v.string(), v.check(isDate, 'must be a date such as 2026-11-20'))),
  datetime: () => nullableTimeInput(),
  select: () => v.nullable(optionInput()),
  multi_select: () =>
    v.nullable(v.pipe(v.array(optionInput()), v.maxLength(maxSelected, `must have at most ${maxSelected} options`))),
  url: () =>
    v.nullable(
      v.pipe(
        v.string(),
        v.trim(),
        v.check(isWebAddress, 'must be an http or https address'),
        checked<string>('max_code_points', (text) => text.length <= maxUrl, `must have at most ${maxUrl} characters`),
      ),
    ),
  email: emailInput,
  phone: phoneInput,
  member: () => v.nullable(idInput()),
  contact: () => v.nullable(idInput()),
  company: () => v.nullable(idInput()),
  deal: () => v.nullable(idInput()),
};

/** Ids are strings in events. */
const eventValue = ({ type }: StoredField, shown: unknown) =>
  typeof shown === 'number' && type !== 'number' ? String(shown) : shown;

/** The values of a record after a write, and how its event and timeline tell it. */
export interface ValueChange {
  values: CustomValues;
  /** `changed` and `changes` of an event. */
  changed: string[];
  changes: Record<string, { from: unknown; to: unknown }>;
  /** The changed values by slug as the timeline has them; of more than ten one entry that names their slugs. */
  texts: { field: string; oldValue: string | null; newValue: string | null }[];
}

/**
 * Returns the values of a record after a write of those given; without `row` of a new one, whose required fields must be there unless
 * it comes from a stranger. Raises 400 with `fields.<slug>`, 409 `field_value_taken`.
 */
export async function changeValues(
  tx: UnitOfWork,
  { object, holder }: ValueHolder,
  given: Record<string, unknown> | undefined,
  row?: CustomValues,
  { isFromStranger = false } = {},
): Promise<ValueChange> {
  const before = row ?? {};
  const checksRequired = row === undefined && !isFromStranger;
  const needsFields = given !== undefined || (checksRequired && (await hasRequiredFields(tx, object)));
  const fields = needsFields ? (await fieldsOf(tx, object)).filter(isShown) : [];
  const entries = Object.entries(given ?? {});
  const wrong: FieldError[] = [];
  const next = new Map<StoredField, unknown>();
  for (const [slug, value] of entries) {
    const field = fields.find((one) => one.slug === slug);
    const name = `fields.${slug}`;
    if (field === undefined) {
      wrong.push({
        field: name,
        code: 'unknown_reference',
        message: `${name} is no field of ${object}; see GET /v1/fields`,
      });
      continue;
    }
    const read = await readValue(tx, field, value);
    if ('errors' in read) wrong.push(...read.errors);
    else if (read.value === null && field.isRequired)
      wrong.push({ field: name, code: 'required', message: `${name} is required` });
    else next.set(field, read.value);
  }
  for (const field of checksRequired ? fields : [])
    if (field.isRequired && !entries.some(([slug]) => slug === field.slug))
      wrong.push({ field: `fields.${field.slug}`, code: 'required', message: `fields.${field.slug} is required` });
  if (wrong.length > 0) throw invalidFields(wrong);
  const change = changeOf(before, next);
  // A merge may have brought more together, which stays.
  const isChanged = change.changed.length > 0;
  if (isChanged && Buffer.byteLength(JSON.stringify([change.values.values, change.values.links])) > maxBytes)
    throw invalidField('fields', 'too_long', `fields must have at most ${maxBytes} bytes together`);
  for (const [field] of next) await requireFree(tx, field, change.values, before, holder);
  return change;
}

type Read = { value: unknown } | { errors: FieldError[] };

async function readValue(tx: UnitOfWork, field: StoredField, value: unknown): Promise<Read> {
  const name = `fields.${field.slug}`;
  const refuse = (code: FieldError['code'], message: string): Read => ({
    errors: [{ field: name, code, message: `${name} ${message}` }],
  });
  const parsed = v.safeParse(inputs[field.type](), value);
  if (!parsed.success) {
    const errors = fieldErrors(parsed.issues, `${name}.`).map((error) => ({
      ...error,
      field: error.field.replace(/\.$/, ''),
      message: error.message.replace(`${name}. `, `${name} `),
    }));
    return { errors: errors.map((error) => (field.type === 'multi_select' ? { ...error, field: name } : error)) };
  }
  const read = parsed.output;
  if (read === null) return { value: null };
  if (field.type === 'select' || field.type === 'multi_select') {
    const all = [read].flat();
    const ids = all.map((one) => optionId(field, one));
    const unknown = ids.indexOf(undefined);
    const labels = field.options.filter(isOpen).map(({ label }) => label);
    if (unknown !== -1) return refuse('invalid_enum', `must be one of ${labels.slice(0, 20).join(', ')}`);
    if (new Set(ids).size < ids.length) return refuse('not_allowed', 'must not name an option twice');
    if (field.type === 'select') return { value: ids[0] };
    return { value: ids.length === 0 ? null : ids };
  }
  if (await isMissing(tx, field.type, read))
    return refuse('unknown_reference', 'does not refer to anything in this workspace');
  return { value: read };
}

const isOpen = ({ isArchived }: { isArchived: boolean }) => !isArchived;

/** The option of a label in any case or of an id; an archived one is refused. */
function optionId({ options }: StoredField, given: unknown): number | undefined {
  const open = options.filter(isOpen);
  return typeof given === 'string'
    ? open.find(({ label }) => sameName(label) === sameName(given.trim()))?.id
    : open.find(({ id }) => id === given)?.id;
}

async function isMissing(tx: UnitOfWork, type: FieldType, id: unknown): Promise<boolean> {
  const place = { id: Number(id) };
  if (type === 'member') return (await tx.find(Members, place)) === undefined;
  if (type === 'contact') return (await tx.find(Contacts, place)) === undefined;
  if (type === 'deal') return (await tx.find(Deals, place)) === undefined;
  return type === 'company' && (await tx.find(Companies, place)) === undefined;
}

/** The values that a new record has got, by slug, as its event shows them. */
export const setValues = ({ changes }: ValueChange): Record<string, unknown> =>
  Object.fromEntries(Object.entries(changes).map(([name, { to }]) => [name.slice('fields.'.length), to]));

/** The `changed` and `changes` of an event with those of custom fields. */
export const withValues = <Changes extends { changed: string[]; changes: Record<string, unknown> }>(
  { changed, changes }: Changes,
  custom: Pick<ValueChange, 'changed' | 'changes'> = { changed: [], changes: {} },
) => ({ changed: [...changed, ...custom.changed], changes: { ...changes, ...custom.changes } }) as Changes;

const isSame = (a: unknown, b: unknown) => isDeepStrictEqual(a ?? null, b ?? null);

function changeOf(before: CustomValues, next: ReadonlyMap<StoredField, unknown>): ValueChange {
  const values = { ...before.values };
  let links: Link[] = before.links ?? [];
  let uniqueValues = before.uniqueValues ?? [];
  const change: ValueChange = { values: before, changed: [], changes: {}, texts: [] };
  for (const [field, value] of next) {
    const old = storedValue(before, field);
    if (isSame(old, value)) continue;
    delete values[field.id];
    links = links.filter(({ fieldId }) => fieldId !== field.id);
    uniqueValues = uniqueValues.filter((one) => !one.startsWith(`${field.id}=`));
    if (value !== null && isLinked(field)) links = [...links, { fieldId: field.id, to: field.type, id: Number(value) }];
    else if (value !== null) values[field.id] = value;
    if (value !== null && field.isUnique) uniqueValues = [...uniqueValues, uniqueValueOf(field, value)];
    const name = `fields.${field.slug}`;
    const [from, to] = [old, value].map((one) => shownValue(field, one));
    change.changed.push(name);
    change.changes[name] = { from: eventValue(field, from), to: eventValue(field, to) };
    change.texts.push({ field: name, oldValue: textOf(from), newValue: textOf(to) });
  }
  if (change.changed.length > 0) change.values = { values, links, uniqueValues };
  if (change.texts.length > maxTexts) {
    const slugs = change.texts.map(({ field }) => field.slice('fields.'.length)).join(', ');
    change.texts = [{ field: 'fields', oldValue: null, newValue: textOf(slugs) }];
  }
  return change;
}

/** Number of changed values above which the timeline has one entry: a change must fit one transaction. */
const maxTexts = 10;

/** Returns how many entries of the timeline a write of these values comes to at most. */
export const mostTexts = (given: Record<string, unknown> = {}): number => Math.min(Object.keys(given).length, maxTexts);

/** Limit of a value in a line of the timeline. */
const maxTextCharacters = 500;

function textOf(value: unknown): string | null {
  if (value === null) return null;
  return firstCharacters(typeof value === 'string' ? value : JSON.stringify(value), maxTextCharacters);
}

const comparable: Partial<Record<FieldType, (value: string) => string>> = { email: addressKey, phone: phoneDigits };

/** Returns the value of a unique field as it is compared: its hash, because keys of the table are short. */
function uniqueValueOf({ id, type }: StoredField, value: unknown): string {
  const compared = comparable[type]?.(String(value)) ?? String(value).normalize('NFC').toLowerCase();
  return `${id}=${createHash('sha256').update(compared).digest('base64url')}`;
}

async function requireFree(
  tx: UnitOfWork,
  field: StoredField,
  { uniqueValues = [] }: CustomValues,
  before: CustomValues,
  holder: ValueHolder['holder'],
): Promise<void> {
  const value = uniqueValues.find((one) => one.startsWith(`${field.id}=`));
  if (value === undefined || before.uniqueValues?.includes(value)) return;
  const id = await holder(tx, value);
  if (id !== undefined) throw valueTaken(field, id);
}

const valueTaken = ({ slug }: StoredField, id: number) =>
  conflict('field_value_taken', `record ${id} has this value of ${slug}: change that record, or use another value`, {
    field: slug,
    id,
  });

/**
 * Returns the values of a record that is restored, or takes those of another one. A unique value that another record has by then is
 * dropped if its field is archived. Raises 409 `field_value_taken` for any other, unless such are dropped, or `heirId` has it.
 */
export async function freeValues<Row extends CustomValues>(
  tx: UnitOfWork,
  { object, holder }: ValueHolder,
  row: Row,
  { dropsTaken = false, heirId }: { dropsTaken?: boolean; heirId?: number } = {},
): Promise<Row> {
  const unique = row.uniqueValues ?? [];
  const holders = await Promise.all(unique.map((value) => holder(tx, value)));
  const taken = unique.filter((_, index) => holders[index] !== undefined);
  if (taken.length === 0) return row;
  const idIn = (value: string) => value.slice(0, value.indexOf('='));
  const fields = await fieldsOf(tx, object);
  for (const [index, value] of unique.entries()) {
    const [id, field] = [holders[index], fields.find((one) => String(one.id) === idIn(value))];
    if (!dropsTaken && id !== undefined && id !== heirId && field && isShown(field)) throw valueTaken(field, id);
  }
  const gone = new Set(taken.map(idIn));
  return {
    ...row,
    values: Object.fromEntries(Object.entries(row.values ?? {}).filter(([id]) => !gone.has(id))),
    uniqueValues: unique.filter((value) => !taken.includes(value)),
  };
}

/** Returns the id of the record that has a value of a unique field, as an upsert looks for it. Raises 400 for a field without unique values. */
export async function holderOfValue(
  tx: UnitOfWork,
  { object, holder }: ValueHolder,
  slug: string,
  value: unknown,
): Promise<number | undefined> {
  const field = (await fieldsOf(tx, object)).find((one) => one.slug === slug && isShown(one));
  if (field === undefined)
    throw invalidField(
      'matchOn',
      'unknown_reference',
      `matchOn names no field of ${object}: ${slug}; see GET /v1/fields`,
    );
  if (!field.isUnique)
    throw invalidField('matchOn', 'not_allowed', `matchOn needs a unique field, and values of ${slug} may repeat`);
  const name = `fields.${slug}`;
  if (value === undefined) throw invalidField(name, 'required', `${name} is required because it is matched on`);
  const read = await readValue(tx, field, value);
  if ('errors' in read) throw invalidFields(read.errors);
  if (read.value === null) throw invalidField(name, 'required', `${name} is required because it is matched on`);
  return holder(tx, uniqueValueOf(field, read.value));
}

/** Returns the values of a merged record: the target's own, and the source's for fields that the target has no value of. */
export function unitedValues(target: CustomValues, source: CustomValues): CustomValues {
  const has = (fieldId: string | number) =>
    target.values?.[fieldId] !== undefined || target.links?.some((link) => link.fieldId === Number(fieldId));
  const taken = Object.entries(source.values ?? {}).filter(([fieldId]) => !has(fieldId));
  const links = (source.links ?? []).filter(({ fieldId }) => !has(fieldId));
  const unique = (source.uniqueValues ?? []).filter((value) => !has(value.slice(0, value.indexOf('='))));
  return {
    values: { ...Object.fromEntries(taken), ...target.values },
    links: [...(target.links ?? []), ...links],
    uniqueValues: [...(target.uniqueValues ?? []), ...unique],
  };
}
