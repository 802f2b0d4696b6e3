import * as v from 'valibot';
import { hasDecimals, maxDecimals } from './money.ts';
import { hasControls, isOneLine, isUnseen, visibleName } from './text.ts';

/**
 * The building blocks of every schema: how the API reads text, numbers, times and enums (contract 0.1). Each keeps the
 * valibot type it extends, so that the OpenAPI document can be derived from it.
 */

type Reads<Schema extends v.GenericSchema> = (value: unknown, schema: Schema) => unknown;

/** The schema with its input prepared first; its type and its place in OpenAPI stay. */
export function reading<Schema extends v.GenericSchema>(schema: Schema, prepare: Reads<Schema>): Schema {
  return {
    ...schema,
    '~run'(dataset: { value: unknown }, config: never) {
      return schema['~run']({ ...dataset, value: prepare(dataset.value, schema) } as never, config);
    },
  } as Schema;
}

/** The schema for what comes from outside: `clean` takes away what our own callers must not send. */
export const cleaned = <Schema extends v.GenericSchema>(schema: Schema, clean: (text: string) => string): Schema =>
  reading(schema, (value) => (typeof value === 'string' ? clean(value) : value));

const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value);
const visible = (value: unknown) => (typeof value === 'string' ? visibleName(value) : value);
const visibleOrAbsent = (value: unknown) => (visible(value) === '' ? undefined : visible(value));
const visibleOrNull = (value: unknown) => (visible(value) === '' ? null : visible(value));
const trimmedOrAbsent = (value: unknown) => (trimmed(value) === '' ? undefined : trimmed(value));
export const trimmedOrNull = (value: unknown) => (trimmed(value) === '' ? null : trimmed(value));

/** A check whose issue says by its type what is wrong: `max_length`, `picklist`. */
export const checked = <Value>(type: string, holds: (value: Value) => boolean, message: string) => ({
  ...v.check<Value, string>(holds, message),
  type: type as 'check',
});

/** The schema of a list or a record, which says of too many entries only that: none of them is read. */
export function atMost<Schema extends v.GenericSchema>(max: number, what: string, schema: Schema): Schema {
  const tooMany = v.pipe(
    v.unknown(),
    checked('max_length', () => false, `must have at most ${max} ${what}`),
  );
  return {
    ...schema,
    '~run'(dataset: { value: unknown }, config: never) {
      return (sizeOf(dataset.value) > max ? tooMany : schema)['~run'](dataset as never, config);
    },
  } as Schema;
}

/** A list in a JSON body. */
export const listInput = <Item extends v.GenericSchema>(item: Item, max: number, what: string) =>
  atMost(max, what, v.pipe(v.array(item), v.maxLength(max, `must have at most ${max} ${what}`)));

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

/** No code point takes more than two UTF-16 units. */
const isLonger = (text: string, limit: number) =>
  text.length > limit && (text.length > 2 * limit || [...text].length > limit);

/** A limit in Unicode code points; issues have the type `min_code_points` or `max_code_points`. */
function codePoints(bound: 'min' | 'max', limit: number) {
  const check = checked<string>(
    `${bound}_code_points`,
    (text) => (bound === 'max' ? !isLonger(text, limit) : isLonger(text, limit - 1)),
    `must have at ${bound === 'max' ? 'most' : 'least'} ${limit} characters`,
  );
  return { ...check, limit };
}

/** Said in words and not as a pattern: few readers of OpenAPI know Unicode's categories. */
export const noControls = () =>
  checked<string>(
    'regex',
    (text) => !hasControls(text),
    'must have no control characters but tab, line feed and carriage return',
  );
const singleLine = () => checked<string>('regex', isOneLine, 'must be one line without control characters');
/** JSON can escape what neither UTF-8 nor the table can hold. */
const wellFormed = () =>
  checked<string>('regex', (text) => text.isWellFormed(), 'must have no half of a character (a lone surrogate)');

/** Required text, trimmed, of `min` to `max` characters; one that shows nothing counts as absent. */
export const text = (max: number, min = 1) =>
  reading(v.pipe(v.string(), codePoints('min', min), codePoints('max', max), wellFormed(), noControls()), (value) =>
    typeof value === 'string' && isUnseen(value) ? undefined : trimmedOrAbsent(value),
  );

/** Text or null, trimmed; blank counts as null. Wrap it in `v.optional` where it may be absent. */
export const nullableText = (max: number) =>
  reading(v.nullable(v.pipe(v.string(), codePoints('max', max), wellFormed(), noControls())), trimmedOrNull);

/** Required text of one line: a name, a title, a subject, a label, a token; without bidirectional controls. */
export const line = (max: number) =>
  reading(
    v.pipe(v.string(), codePoints('min', 1), codePoints('max', max), wellFormed(), singleLine()),
    visibleOrAbsent,
  );

/** The same, or null; one that shows nothing counts as null. */
export const nullableLine = (max: number) =>
  reading(v.nullable(v.pipe(v.string(), codePoints('max', max), wellFormed(), singleLine())), visibleOrNull);

/** Text of a form in one line, or null: `nullablePattern(/^\d+$/, 20, 'digits')`. */
export const nullablePattern = (
  form: RegExp,
  max: number,
  description: string,
  prepare: (value: string) => string = (value) => value,
) =>
  reading(
    v.nullable(
      v.pipe(v.string(), codePoints('max', max), v.regex(form, `must be ${description}`), wellFormed(), singleLine()),
    ),
    (value) => {
      const ready = trimmedOrNull(value);
      return typeof ready === 'string' ? trimmedOrNull(prepare(ready)) : ready;
    },
  );

/** Required text of a form in one line. */
export const pattern = (
  form: RegExp,
  max: number,
  description: string,
  prepare: (value: string) => string = (value) => value,
) =>
  reading(
    v.pipe(v.string(), codePoints('max', max), v.regex(form, `must be ${description}`), wellFormed(), singleLine()),
    (value) => {
      const ready = trimmedOrAbsent(value);
      return typeof ready === 'string' ? prepare(ready) : ready;
    },
  );

/** For us alone: the OpenAPI document leaves marks out. */
const mark = (): v.BaseMetadata<string | null> => ({ kind: 'metadata', type: 'mark', reference: mark });
const shownOnceMark = mark();

/** A secret in the answer that makes it, which is the only one to show it: what is kept of the answer has null in its place. */
export const shownOnce = () => v.pipe(v.nullable(v.string()), shownOnceMark);
export const isShownOnce = (schema: v.GenericSchema & { pipe?: readonly unknown[] }) =>
  schema.pipe?.includes(shownOnceMark) ?? false;

const unkeptMark = mark();

/** A secret of the caller's that nothing is kept of, its digest neither; every character counts, spaces too. */
export const unkeptText = (max: number) =>
  v.pipe(
    v.string(),
    codePoints('min', 1),
    codePoints('max', max),
    wellFormed(),
    noControls(),
    v.check((value) => value.trim() !== '', 'must not be blank'),
    unkeptMark as v.BaseMetadata<string>,
  );
export const isUnkept = (schema: v.GenericSchema & { pipe?: readonly unknown[] }) =>
  schema.pipe?.includes(unkeptMark) ?? false;

/** KMS encrypts no more in one call. */
const maxSecretBytes = 4096;
const fitsKms = <Value extends string | null>() =>
  checked<Value>(
    'max_bytes',
    (text) => Buffer.byteLength(text ?? '') <= maxSecretBytes,
    `must have at most ${maxSecretBytes} bytes in UTF-8`,
  );

/** A secret of one line that is kept encrypted. */
export const secret = () => v.pipe(line(maxSecretBytes), fitsKms<string>());
/** The same, or null. */
export const nullableSecret = () => v.pipe(nullableLine(maxSecretBytes), fitsKms<string | null>());

/** An object in a JSON body, which a list is not: of that valibot would miss each entry. */
export const objectInput = <const Entries extends v.ObjectEntries>(entries: Entries) =>
  reading(v.object(entries), (value) => (Array.isArray(value) ? 'a list' : value));

/** One of the values in any case; the output is lower case. */
export const choice = <const Values extends readonly string[]>(values: Values) =>
  reading(v.picklist(values, `must be one of ${values.join(', ')}`), (value) => {
    const ready = trimmedOrAbsent(value);
    return typeof ready === 'string' ? ready.toLowerCase() : ready;
  });

export const maxId = 2_147_483_647;

/** An integer in a range (both ends included) in a JSON body. */
export const integer = (min: number, max: number) =>
  v.pipe(
    v.number(),
    v.integer('must be an integer'),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  );

/** Generated clients choose the width of an integer by its format; ids fit 32 bits today (base document). */
const idFormat = v.metadata<number, { format: 'int64' }>({ format: 'int64' });
const anyId = () => v.pipe(integer(1, maxId), idFormat);

/** The id of something in a JSON body. A number that no id can be names nothing, which is for whoever looks it up to say. */
export const idInput = () =>
  reading(anyId(), (value) => (Number.isInteger(value) && !isId(value as number) ? noId : value));

/** An id of ours in an answer or a row. */
export const id = () => v.pipe(v.number(), v.integer(), idFormat);
/** A place in a list or in the feed. */
export const cursor = () => id();
/** How many of anything, in an answer or a row: things, milliseconds, percent. */
export const count = () => v.pipe(v.number(), v.integer(), v.metadata({ format: 'int32' }));

const isId = (value: number) => value >= 1 && value <= maxId;
/** The highest there can be, which nothing gets: ids are counted up from one. */
const noId = maxId;

/** An amount of money, with no more decimals than any currency has; `requireDecimals` knows how many its own has. */
export const money = (min: number, max = 1e12) =>
  v.pipe(
    v.number(),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
    v.check((amount) => hasDecimals(amount, maxDecimals), `must have at most ${maxDecimals} decimals`),
  );

/** A sum of money in an answer. */
export const CurrencyTotal = v.pipe(v.object({ currency: v.string(), total: v.number() }), v.title('CurrencyTotal'));

/** An ISO 4217 code, upper-cased. */
export const currency = () =>
  reading(
    v.pipe(
      v.string(),
      v.regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code'),
      v.check((code) => currencies.has(code), 'must be an ISO 4217 code'),
    ),
    (value) => {
      const ready = trimmedOrAbsent(value);
      return typeof ready === 'string' ? ready.toUpperCase() : ready;
    },
  );

/** Units of account and funds of ISO 4217, which are no tender anywhere. */
const fundCodes = ['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW', 'VED'];
const currencies = new Set([...Intl.supportedValuesOf('currency'), ...fundCodes]);

const isoDateTime =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?) ?(?:[Zz]|([+-]\d{2})(?::?(\d{2}))?)?)?$/;

/** Returns ISO 8601 in UTC to the second; a date alone is its midnight. Returns an empty text, which the form refuses, for any other. */
function normalisedTime(value: unknown): unknown {
  const ready = trimmedOrAbsent(value);
  if (typeof ready !== 'string') return ready;
  const [found, day, clock = '00:00', hours = '+00', minutes = '00'] = isoDateTime.exec(ready) ?? [];
  if (found === undefined) return '';
  const date = new Date(`${day}T${clock}${hours}:${minutes}`);
  const daysInMonth = new Date(Date.UTC(Number(ready.slice(0, 4)), Number(ready.slice(5, 7)), 0)).getUTCDate();
  if (Number.isNaN(date.getTime()) || Number(ready.slice(8, 10)) > daysInMonth) return '';
  const normal = date.toISOString();
  return /^\d{4}-/.test(normal) && !normal.startsWith('0000') ? `${normal.slice(0, 19)}Z` : '';
}

/** A date-time as the API writes it. */
export const time = () =>
  v.pipe(
    v.string(),
    v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/, 'must be an ISO 8601 date-time such as 2026-11-20T23:17:47Z'),
    v.metadata({ format: 'date-time' }),
  );

/** A date-time in a body or a query, with or without an offset; the output is UTC to the second. */
export const timeInput = () => reading(time(), normalisedTime);
/** The same in a query, where the `+` of an offset that is not escaped arrives as a space. */
export const queryTime = () =>
  reading(timeInput(), (value) =>
    typeof value === 'string' ? value.trim().replace(/(:[\d.]+) +(\d{2}(:?\d{2})?)$/, '$1+$2') : value,
  );
/** The same, or null. */
export const nullableTimeInput = () =>
  reading(v.nullable(time()), (value) => (value === null || trimmed(value) === '' ? null : normalisedTime(value)));

/**
 * One of the values as it is stored and shown, or one that a newer version has written, which is none of those that this one asks
 * for: the document and the type name those that are known.
 */
export const storedChoice = <const Values extends readonly string[]>(values: Values) =>
  v.pipe(v.string(), v.metadata({ enum: [...values] })) as unknown as v.GenericSchema<Values[number]>;

/** The same where new values come without notice: the document says that others are text, so that generated clients read them. */
export const openChoice = <const Values extends readonly string[]>(values: Values) =>
  v.pipe(
    v.string(),
    v.metadata({ anyOf: [{ type: 'string', enum: [...values] }, { type: 'string' }] }),
  ) as unknown as v.GenericSchema<Values[number]>;

/** Query parameters arrive as text. */
const numberFrom = (value: unknown) =>
  typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : trimmedOrAbsent(value);

/** An integer in a query. */
export const queryInteger = (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) =>
  reading(integer(min, max), numberFrom);
/** A number in a query. */
export const queryNumber = () => reading(v.number(), numberFrom);
/** `true` or `false` in a query. */
export const queryBoolean = () =>
  reading(v.boolean(), (value) => {
    const ready = typeof value === 'string' ? value.trim().toLowerCase() : value;
    return ready === 'true' || ready === '1'
      ? true
      : ready === 'false' || ready === '0'
        ? false
        : trimmedOrAbsent(value);
  });
/** Text to search for; blank counts as absent. */
export const queryText = (max = 200) =>
  reading(v.pipe(v.string(), codePoints('max', max), wellFormed(), noControls()), (value) => trimmedOrAbsent(value));

const severalMark = mark() as v.BaseMetadata<string>;
/** Whether a query parameter takes several values, and may therefore be given more than once. */
export const takesSeveral = ({ wrapped, pipe }: v.GenericSchema & Wrapping): boolean =>
  wrapped ? takesSeveral(wrapped) : (pipe?.includes(severalMark) ?? false);
interface Wrapping {
  wrapped?: v.GenericSchema;
  pipe?: readonly unknown[];
}

const maxIds = 100;
/** `ids=3,1,2`: at most a hundred. */
export const queryIds = () =>
  v.pipe(
    v.string(),
    severalMark,
    v.regex(/^\s*\d{1,10}(\s*,\s*\d{1,10})*\s*$/, 'must be ids separated by commas'),
    v.transform((list) => [...new Set(list.split(',').map(Number))]),
    v.maxLength(maxIds, `must have at most ${maxIds} ids`),
  );

/** `type=Note,Created`: several values of an enum, in any case. */
export const queryChoices = <const Values extends readonly string[]>(values: Values) => {
  const byLowerCase = new Map(values.map((value) => [value.toLowerCase(), value as Values[number]]));
  return v.pipe(
    v.string(),
    severalMark,
    checked<string>(
      'picklist',
      (list) => list.split(',').every((part) => byLowerCase.has(part.trim().toLowerCase())),
      `must be one or more of ${values.join(', ')}`,
    ),
    v.examples([values.slice(0, 2).join(',')]),
    v.transform((list) => [
      ...new Set(list.split(',').map((part) => byLowerCase.get(part.trim().toLowerCase()) as Values[number])),
    ]),
  );
};

const idOrNone = v.union([v.literal('none'), reading(anyId(), numberFrom)], 'must be an id or none');
/** `assignedToUserId=5` or `none`: described as text, because few generated clients can send what is of one type or another. */
export const queryIdOrNone = () =>
  ({
    ...v.pipe(v.string(), v.metadata({ pattern: '^(none|[1-9][0-9]{0,9})$' })),
    '~run': (dataset: never, config: never) => idOrNone['~run'](dataset, config),
  }) as unknown as typeof idOrNone;

/** Reads an integer of a query, no lower and no higher than these. */
const clamped = (low: number, high: number) => (value: unknown) => {
  const number = numberFrom(value);
  return Number.isInteger(number) ? Math.min(high, Math.max(low, number as number)) : number;
};

const { MIN_SAFE_INTEGER: lowest, MAX_SAFE_INTEGER: highest } = Number;

/** `after` and `limit` of every list; `limit` is clamped to 1 to 100 (contract 0.2). */
export const paging = {
  after: v.optional(reading(integer(lowest, highest), clamped(Number.NEGATIVE_INFINITY, highest))),
  limit: v.optional(reading(integer(1, 100), clamped(1, 100)), 25),
};

/** Extra filters of contacts, deals and tasks (contract 0.2). */
export const commonFilters = {
  ids: v.optional(queryIds()),
  createdSince: v.optional(queryTime()),
  updatedSince: v.optional(queryTime()),
};

/** The envelope of a list (base document); that of `Contact` is `ContactList`. */
export const listOf = <Row extends v.GenericSchema>(row: Row, title = `${v.getTitle(row)}List`) =>
  v.pipe(v.object({ items: v.array(row), nextCursor: v.nullable(cursor()), hasMore: v.boolean() }), v.title(title));

/** The files that a message takes, by their ids (contract section 23). */
export const fileIds = () => v.optional(listInput(idInput(), 10, 'files'));

/** The body of what says all by its path. */
export const Nothing = v.pipe(v.object({}), v.title('Nothing'));

/** `{id, deleted: true}` (contract 0.1). */
export const Deleted = v.pipe(v.object({ id: id(), deleted: v.literal(true) }), v.title('Deleted'));

/** Returns whether the name is a zone of the IANA database: offsets such as `+02:00` are none. */
function isZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** A time zone by its name; offsets are none. */
export const timeZone = () =>
  reading(
    v.pipe(
      v.string(),
      v.check(isZone, 'must be a time zone of the IANA database, such as Europe/Berlin'),
      v.examples(['Europe/Berlin']),
    ),
    (value) => (typeof value === 'string' ? value.trim() : value),
  );
