import * as v from 'valibot';
import { addressKey } from '#lib/core/mail-address.ts';
import { phoneDigits } from '#lib/core/phone.ts';
import type { FieldCode } from '#lib/core/problem.ts';
import { currency, money as moneyInput, objectInput, timeInput } from '#lib/core/schema.ts';
import { firstCharacters, foldCase } from '#lib/core/text.ts';
import type { Zone } from '#lib/core/zone.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import * as forms from './forms.ts';
import { isRelative, relativeTime } from './relative-time.ts';

const equalities = ['eq', 'ne', 'in', 'notIn'] as const;
const comparisons = ['gt', 'gte', 'lt', 'lte', 'between'] as const;
const parts = ['contains', 'startsWith'] as const;
const presence = ['isSet', 'isNotSet'] as const;
export const operators = [...equalities, ...comparisons, ...parts, ...presence] as const;
export type Operator = (typeof operators)[number];

interface Amount {
  amount: number;
  currency: string;
}
/** A value in the form in which values of its kind are compared. */
export type Operand = string | number | Amount;

/** Surroundings in which values of a filter are read. */
export interface Reading {
  tx: UnitOfWork;
  /** The time of the first page. */
  nowMs: number;
  zone: Zone;
}

/** Fault of a value of a filter: the code, and the end of the sentence that names the value. */
export class WrongValue extends Error {
  readonly code: FieldCode;
  constructor(code: FieldCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Records that a value may be the id of. */
type Referenced = 'member' | 'company' | 'contact' | 'deal' | 'pipeline' | 'column' | 'tag' | 'option';
type KindName =
  | 'text'
  | 'email'
  | 'phone'
  | 'address'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'time'
  | 'date'
  | 'money'
  | Referenced;

/** How values of a field are compared, and which operators they take besides `isSet` and `isNotSet`. */
export interface Kind {
  /** An id is named for the noun of its record. */
  name: KindName;
  /** All values of a choice. */
  values?: readonly string[];
  operators: readonly Operator[];
  /** Returns a value of a filter as it is compared. Raises `WrongValue`. */
  read(value: unknown, reading: Reading): Operand | Promise<Operand>;
  /** Returns a stored value as it is compared. */
  operand(stored: never): Operand;
  /** Returns what a stored value is sorted by, if not by its operand. */
  sortKey?(stored: never): Operand;
  order?(a: never, b: never): number;
  /** Values of the field are lists: a condition asks whether one of them fits. */
  isList?: true;
  /** How a copy holds its values. */
  form: forms.Form;
}

function parsed<Schema extends v.GenericSchema>(schema: Schema, value: unknown, otherwise: string) {
  const read = v.safeParse(schema, value);
  if (!read.success) throw new WrongValue(typeof value === 'string' ? 'invalid_format' : 'invalid_type', otherwise);
  return read.output;
}

const maxTextCharacters = 10_000;
/** Texts are sorted by so many characters; the cursor holds them. */
const maxSortedCharacters = 200;

function readText(value: unknown): string {
  if (typeof value !== 'string') throw new WrongValue('invalid_type', 'must be a text');
  if (value.length > maxTextCharacters)
    throw new WrongValue('too_long', `must have at most ${maxTextCharacters} characters`);
  return value;
}

/** The root collation of Unicode, which English keeps. */
const collator = new Intl.Collator('en');
const byNumber = (a: number, b: number) => a - b;
const byCodeUnit = (a: string, b: string) => (a < b ? -1 : Number(a > b));

export const text: Kind = {
  name: 'text',
  form: forms.text,
  operators: [...equalities, ...parts],
  read: (value) => foldCase(readText(value)),
  operand: (stored: string) => foldCase(stored),
  sortKey: (stored: string) => firstCharacters(stored, maxSortedCharacters),
  order: collator.compare,
};

export const email: Kind = {
  ...text,
  name: 'email',
  read: (value) => foldCase(addressKey(readText(value))),
  operand: (stored: string) => foldCase(addressKey(stored)),
};

function readPhone(value: unknown): string {
  const digits = phoneDigits(readText(value));
  if (digits === '') throw new WrongValue('invalid_format', 'must have digits');
  return digits;
}

export const phone: Kind = {
  ...text,
  name: 'phone',
  read: readPhone,
  operand: phoneDigits,
  sortKey: phoneDigits,
  order: byCodeUnit,
};

const addressKind = (written: string) => (/[@\p{L}]/u.test(written) ? email : phone);

/** An e-mail address or a phone number, or a part of one. */
export const address: Kind = {
  ...text,
  name: 'address',
  read: (value, reading) => addressKind(readText(value)).read(value, reading),
  operand: (stored: string) => addressKind(stored).operand(stored as never),
};

function readNumber(value: unknown): number {
  if (typeof value !== 'number') throw new WrongValue('invalid_type', 'must be a number');
  return value;
}

export const number: Kind = {
  name: 'number',
  form: forms.double,
  operators: [...equalities, ...comparisons],
  read: readNumber,
  operand: (stored: number) => stored,
  order: byNumber,
};

/** The id of another record; `requires` raises `WrongValue` where there is none. */
export const id = (name: Referenced, requires: (tx: UnitOfWork, id: number) => unknown = () => undefined): Kind => ({
  ...number,
  name,
  form: forms.integer,
  operators: equalities,
  async read(value, { tx }) {
    const read = readNumber(value);
    await requires(tx, read);
    return read;
  },
});

export const boolean: Kind = {
  name: 'boolean',
  form: forms.boolean,
  operators: equalities,
  read(value) {
    if (typeof value !== 'boolean') throw new WrongValue('invalid_type', 'must be true or false');
    return Number(value);
  },
  operand: Number,
  order: byNumber,
};

/** One of the values, in any case; sorted in their order. */
export function choiceOf(values: readonly string[]): Kind {
  const place = (stored: string) => values.indexOf(stored.toLowerCase());
  return {
    name: 'choice',
    values,
    form: forms.text,
    operators: equalities,
    read(value) {
      const found = place(readText(value).trim());
      if (found === -1) throw new WrongValue('invalid_enum', `must be one of ${values.join(', ')}`);
      return found;
    },
    operand: place,
    order: byNumber,
  };
}

const maxTimeCharacters = 100;
const timeSentence = 'must be an ISO 8601 time such as 2026-11-20T23:17:47Z, or relative to now such as today-7d';

function readTime(value: unknown, { nowMs, zone }: Reading): string {
  if (typeof value !== 'string') throw new WrongValue('invalid_type', timeSentence);
  const given = value.trim();
  if (given.length > maxTimeCharacters)
    throw new WrongValue('too_long', `must have at most ${maxTimeCharacters} characters`);
  if (!isRelative(given)) return parsed(timeInput(), given, timeSentence);
  const at = relativeTime(given, nowMs, zone);
  if (at === undefined) throw new WrongValue('invalid_format', timeSentence);
  return at;
}

export const time: Kind = {
  name: 'time',
  form: forms.time,
  operators: [...equalities, ...comparisons],
  read: (value, reading) => Date.parse(readTime(value, reading)),
  // A copy has milliseconds.
  operand: (stored: string | number) => (typeof stored === 'number' ? stored : Date.parse(stored)),
  order: byNumber,
};

export const date: Kind = {
  ...time,
  name: 'date',
  form: forms.date,
  read: (value, reading) =>
    typeof value === 'string' && /^\s*\d{4}-\d{2}-\d{2}\s*$/.test(value)
      ? readTime(value, reading).slice(0, 10)
      : reading.zone.day(readTime(value, reading)),
  operand: (stored: string) => stored,
  order: byCodeUnit,
};

export const money: Kind = {
  name: 'money',
  form: forms.money,
  operators: [...equalities, ...comparisons],
  read: (value) =>
    parsed(
      objectInput({ amount: moneyInput(-1e12), currency: currency() }),
      value,
      'must be an amount such as {"amount": 100, "currency": "EUR"}',
    ),
  operand: (stored: Amount) => stored,
  order: (a: Amount, b: Amount) => byCodeUnit(a.currency, b.currency) || a.amount - b.amount,
};

/** Several values of a kind. */
export const listOf = ({ order, ...kind }: Kind): Kind => ({
  ...kind,
  operators: kind.operators.filter((one) => !(comparisons as readonly Operator[]).includes(one)),
  isList: true,
  form: forms.listOf(kind.form),
});

const isComparable = (a: Operand, b: Operand) =>
  typeof a !== 'object' || typeof b !== 'object' || a.currency === b.currency;

type Holds = (value: Operand) => boolean;

/** Returns whether a value fits a condition with these values. */
export function fits(operator: Operator, kind: Kind, [first, last = first]: readonly Operand[]): Holds {
  if (first === undefined || last === undefined) return () => false;
  const part = String(first);
  if (operator === 'contains') return (value) => String(value).includes(part);
  if (operator === 'startsWith') return (value) => String(value).startsWith(part);
  const order = (kind.order ?? (() => 0)) as (a: Operand, b: Operand) => number;
  const compared =
    (other: Operand, isWanted: (order: number) => boolean): Holds =>
    (value) =>
      isComparable(value, other) && isWanted(order(value, other));
  if (operator === 'gt') return compared(first, (sign) => sign > 0);
  if (operator === 'lt') return compared(first, (sign) => sign < 0);
  const isFrom = compared(first, (sign) => sign >= 0);
  if (operator === 'gte') return isFrom;
  const isUpTo = compared(last, (sign) => sign <= 0);
  return operator === 'lte' ? isUpTo : (value) => isFrom(value) && isUpTo(value);
}

const keyOf = (value: Operand) => (typeof value === 'object' ? `${value.currency} ${value.amount}` : value);

/** Returns whether a value is one of these. */
export function isOneOf(values: readonly Operand[]): Holds {
  const keys = new Set(values.map(keyOf));
  return (value) => keys.has(keyOf(value));
}
