import type { FieldCode, FieldError } from '#lib/core/problem.ts';
import { CopiedRow } from './copied-row.ts';
import { fits, isOneOf, type Operand, type Operator, operators, type Reading, WrongValue } from './kinds.ts';
import type { SearchField } from './nouns.ts';

const maxLevels = 5;
const maxConditions = 50;
const maxValues = 200;
/** Limit of the values of all conditions together. */
const maxAllValues = 1000;
/** More conditions and groups than a filter may have; further ones are not looked at. */
const maxNodes = 300;

/** Whether a row is wanted; `now` is the time of the first page. */
export type Predicate = (row: never, now: string) => boolean;

/** Returns what a row has of a field, in the form in which it is compared; undefined for none. */
type Operands = (row: never, now: string) => Operand | readonly Operand[] | undefined;

/** Surroundings in which one filter is read. */
export interface FilterReading extends Reading {
  /** Returns the field of a name; undefined for an unknown one. */
  fieldOf(name: string): SearchField | undefined;
}

/** Reads one filter. What is wrong is collected, so that an answer names all of it. */
export class FilterReader {
  readonly wrong: FieldError[] = [];
  readonly #reading: FilterReading;
  #conditions = 0;
  #nodes = 0;
  #values = 0;
  readonly #operands = new Map<string, Operands>();

  constructor(reading: FilterReading) {
    this.#reading = reading;
  }

  /** Returns the predicate of a condition, or of a group of them, that stands at `place` of the body. */
  async read(given: unknown, place: string, level = 1): Promise<Predicate> {
    this.#nodes += 1;
    if (this.#nodes > maxNodes) return never;
    if (this.#nodes === maxNodes)
      return this.#refuse('filter', 'too_many', `must have at most ${maxConditions} conditions`);
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      return this.#refuse(place, 'invalid_type', 'must be a condition, or an object with and, or, or not');
    if (level > maxLevels) return this.#refuse(place, 'too_many', `is deeper than ${maxLevels} levels`);
    const entries = Object.entries(given as Record<string, unknown>).filter(([, value]) => value !== undefined);
    const [[name, inner] = ['', undefined], ...others] = entries;
    if (['and', 'or', 'not'].includes(name) && others.length > 0)
      return this.#refuse(place, 'not_allowed', `takes nothing beside ${name}`);
    if (name === 'and') {
      const all = quickestFirst(inner, await this.#group(inner, `${place}.and`, level));
      return (row, now) => all.every((one) => one(row, now));
    }
    if (name === 'or') {
      const any = await this.#group(inner, `${place}.or`, level);
      return (row, now) => any.some((one) => one(row, now));
    }
    if (name === 'not') {
      const one = await this.read(inner, `${place}.not`, level + 1);
      return (row, now) => !one(row, now);
    }
    return this.#condition(given as Record<string, unknown>, place);
  }

  async #group(given: unknown, place: string, level: number): Promise<Predicate[]> {
    if (!Array.isArray(given)) return [this.#refuse(place, 'invalid_type', 'must be a list of conditions')];
    if (given.length === 0) return [this.#refuse(place, 'too_short', 'must have at least one condition')];
    if (given.length > maxConditions)
      return [this.#refuse(place, 'too_many', `must have at most ${maxConditions} conditions`)];
    return Promise.all(given.map((one, index) => this.read(one, `${place}[${index}]`, level + 1)));
  }

  async #condition(given: Record<string, unknown>, place: string): Promise<Predicate> {
    this.#conditions += 1;
    if (this.#conditions > maxConditions)
      return this.#refuse('filter', 'too_many', `must have at most ${maxConditions} conditions`);
    const { field: name, op, value, ...others } = given;
    for (const other of Object.keys(others))
      this.#refuse(`${place}.${other}`, 'not_allowed', 'is no part of a condition');
    const field = this.#field(name, `${place}.field`);
    const operator = this.#operator(op, `${place}.op`, field);
    if (field === undefined || operator === undefined) return never;
    if (operator === 'isSet' || operator === 'isNotSet') {
      if (value !== undefined && value !== null)
        return this.#refuse(`${place}.value`, 'not_allowed', `is not allowed with ${operator}`);
      return (row, now) => isPresent(field.of(row, now)) === (operator === 'isSet');
    }
    const values = await this.#valuesOf(field, operator, value, `${place}.value`);
    return predicateOf(this.#operandsOf(name as string, field), field, operator, values);
  }

  /** Returns what rows have of a field, in the form in which it is compared: once for all conditions that a row is asked. */
  #operandsOf(name: string, { kind, of }: SearchField): Operands {
    const known = this.#operands.get(name);
    if (known) return known;
    const last: { row?: object; index: number; operands: ReturnType<Operands> } = { index: 0, operands: undefined };
    const operandsOf: Operands = (row, now) => {
      const index = (row as object) instanceof CopiedRow ? (row as CopiedRow).index : 0;
      if (last.row === row && last.index === index) return last.operands;
      const stored = of(row, now);
      last.row = row;
      last.index = index;
      if (Array.isArray(stored)) last.operands = stored.map((one) => kind.operand(one as never));
      else last.operands = isPresent(stored) ? kind.operand(stored as never) : undefined;
      return last.operands;
    };
    this.#operands.set(name, operandsOf);
    return operandsOf;
  }

  #field(name: unknown, place: string): SearchField | undefined {
    const field = typeof name === 'string' ? this.#reading.fieldOf(name) : undefined;
    if (name === undefined) this.#refuse(place, 'required', 'is required');
    else if (typeof name !== 'string') this.#refuse(place, 'invalid_type', 'must be a string');
    else if (field === undefined)
      this.#refuse(place, 'unknown_reference', 'names no field of this object: see the reference of search');
    return field;
  }

  #operator(op: unknown, place: string, field: SearchField | undefined): Operator | undefined {
    const taken = field ? [...field.kind.operators, 'isSet', 'isNotSet'] : operators;
    if (typeof op === 'string' && (taken as readonly string[]).includes(op)) return op as Operator;
    if (op === undefined) this.#refuse(place, 'required', 'is required');
    else if (typeof op !== 'string') this.#refuse(place, 'invalid_type', 'must be a string');
    else this.#refuse(place, 'invalid_enum', `must be one of ${taken.join(', ')}`);
    return undefined;
  }

  async #valuesOf(field: SearchField, operator: Operator, value: unknown, place: string): Promise<Operand[]> {
    if (operator !== 'in' && operator !== 'notIn' && operator !== 'between')
      return this.#read(field, value, place).then((read) => (read === undefined ? [] : [read]));
    if (!Array.isArray(value)) {
      this.#refuse(
        place,
        value === undefined || value === null ? 'required' : 'invalid_type',
        'must be a list of values',
      );
      return [];
    }
    const [least, most] = operator === 'between' ? [2, 2] : [1, maxValues];
    if (value.length < least) this.#refuse(place, 'too_short', `must have at least ${least} values`);
    if (value.length > most) this.#refuse(place, 'too_many', `must have at most ${most} values`);
    if (value.length < least || value.length > most) return [];
    this.#values += value.length;
    if (this.#values > maxAllValues) {
      this.#refuse('filter', 'too_many', `must have at most ${maxAllValues} values`);
      return [];
    }
    const read = await Promise.all(value.map((one, index) => this.#read(field, one, `${place}[${index}]`)));
    const known = read.filter((one) => one !== undefined);
    const [first, last] = known;
    if (operator === 'between' && first !== undefined && last !== undefined && !isInOrder(field, first, last))
      this.#refuse(place, 'out_of_range', 'must begin with the smaller value');
    return known;
  }

  async #read({ kind }: SearchField, value: unknown, place: string): Promise<Operand | undefined> {
    if (value === undefined || value === null) {
      this.#refuse(place, 'required', 'is required: for fields without a value use isNotSet');
      return undefined;
    }
    try {
      return await kind.read(value, this.#reading);
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      this.#refuse(place, error.code, error.message);
      return undefined;
    }
  }

  #refuse(field: string, code: FieldCode, sentence: string): Predicate {
    this.wrong.push({ field, code, message: `${field} ${sentence}` });
    return never;
  }
}

const never: Predicate = () => false;

const slow: readonly unknown[] = ['contains', 'startsWith'];

/** Returns the predicates of some conditions, those that look into texts last. */
function quickestFirst(conditions: unknown, all: readonly Predicate[]): Predicate[] {
  const operatorOf = (index: number) => (conditions as { op?: unknown }[] | null)?.[index]?.op;
  const isSlow = (index: number) => slow.includes(operatorOf(index));
  return [...all.filter((_, index) => !isSlow(index)), ...all.filter((_, index) => isSlow(index))];
}

const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);

const isInOrder = ({ kind }: SearchField, first: Operand, last: Operand) =>
  (kind.order?.(first as never, last as never) ?? 0) <= 0;

/** `ne` and `notIn` are the complements of `eq` and `in`: also true where there is no value (revision 1.4, section 33). */
function predicateOf(
  operandsOf: Operands,
  { kind }: SearchField,
  operator: Operator,
  values: readonly Operand[],
): Predicate {
  const isNegative = operator === 'ne' || operator === 'notIn';
  const isEquality = isNegative || operator === 'eq' || operator === 'in';
  const holds = isEquality ? isOneOf(values) : fits(operator, kind, values);
  return (row, now) => {
    const operands = operandsOf(row, now);
    const isHeld = Array.isArray(operands)
      ? operands.some(holds)
      : operands !== undefined && holds(operands as Operand);
    return isHeld !== isNegative;
  };
}
