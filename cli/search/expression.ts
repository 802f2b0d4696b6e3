import { UsageError } from '../verb.ts';
import { type Token, tokensOf } from './tokens.ts';

type Value = string | number | boolean | { amount: number; currency: string };

/** A filter of the API: a condition, or a group of them. */
type Filter =
  | { field: string; op: string; value?: Value | Value[] }
  | { and: Filter[] }
  | { or: Filter[] }
  | { not: Filter };

/** An expression as the API takes it. */
export interface Expression {
  filter: Filter;
  /** Names of the fields in it, each once. */
  fields: string[];
  /** Returns where something of the filter stands in the source, by its path in the body: `filter.and[1].value`. */
  placeOf(path: string): number | undefined;
}

interface Located {
  filter: Filter;
  /** Places of its parts, by their paths below it: `.value`. */
  places: Map<string, number>;
}

const operators: Record<string, string> = {
  '=': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  '~': 'contains',
  '^=': 'startsWith',
};

const beginning = /^[\s(]*(?:not[\s(]+)?[\w.]+/i;
const operation = /^(?:[=<>~]|!=|\^=|is\s+(?:not\s+)?set\b|(?:not\s+)?in\s*\(|between\s)/i;

/** Returns whether a text is meant as an expression rather than as words to look for: a name with an operator after it. */
export function isExpression(text: string): boolean {
  const [begun] = beginning.exec(text) ?? [];
  return begun !== undefined && operation.test(text.slice(begun.length).trimStart());
}

/**
 * Returns an expression such as `stage = qualified and (leadScore >= 50 or tags = vip)` as a filter. Raises UsageError at the place of
 * a fault.
 */
export function readExpression(source: string): Expression {
  const { filter, places } = new Reader(source).whole();
  return { filter, fields: [...new Set(fieldsOf(filter))], placeOf: (path) => nearest(places, path) };
}

/** Returns the place of a path, or of the nearest part around it. */
function nearest(places: ReadonlyMap<string, number>, path: string): number | undefined {
  if (!path.startsWith('filter')) return undefined;
  for (let part = path.slice('filter'.length); part !== ''; part = part.replace(/(?:\.\w+|\[\d+\])$/, '')) {
    const at = places.get(part);
    if (at !== undefined) return at;
    if (!/(?:\.\w+|\[\d+\])$/.test(part)) return undefined;
  }
  return places.get('');
}

function fieldsOf(filter: Filter): string[] {
  if ('and' in filter) return filter.and.flatMap(fieldsOf);
  if ('or' in filter) return filter.or.flatMap(fieldsOf);
  return 'not' in filter ? fieldsOf(filter.not) : [filter.field];
}

/** Reads one expression from left to right: `or` binds weaker than `and`, and `and` weaker than `not`. */
class Reader {
  readonly #source: string;
  readonly #tokens: Token[];
  #next = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokensOf(source);
  }

  whole(): Located {
    const located = this.#group('or');
    if (this.#token.kind !== 'end') this.#fail('expected "and", "or", or the end');
    return located;
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #fail(sentence: string, at = this.#token.at): never {
    throw new UsageError(sentence, { source: this.#source, at });
  }

  /** Takes the next token if it is this word or sign. */
  #took(text: string): boolean {
    const { kind, text: found } = this.#token;
    const isIt = kind === 'sign' ? found === text : kind === 'word' && found.toLowerCase() === text;
    if (isIt) this.#next += 1;
    return isIt;
  }

  #need(text: string, after: string): void {
    if (!this.#took(text)) this.#fail(`expected "${text}" ${after}`);
  }

  #group(word: 'and' | 'or'): Located {
    const part = () => (word === 'or' ? this.#group('and') : this.#part());
    const parts = [part()];
    while (this.#took(word)) parts.push(part());
    const [first, ...others] = parts;
    if (first === undefined || others.length === 0) return first as Located;
    const filters = parts.map(({ filter }) => filter);
    const places = parts.flatMap((one, index) => within(`.${word}[${index}]`, one));
    return { filter: word === 'and' ? { and: filters } : { or: filters }, places: new Map(places) };
  }

  #part(): Located {
    const { at } = this.#token;
    if (this.#took('not')) {
      const inner = this.#part();
      return { filter: { not: inner.filter }, places: new Map([['', at], ...within('.not', inner)]) };
    }
    if (!this.#took('(')) return this.#condition();
    const inner = this.#group('or');
    this.#need(')', 'to close the group');
    return inner;
  }

  #condition(): Located {
    const field = this.#token;
    if (field.kind !== 'word') this.#fail('expected the name of a field, such as stage or fields.budget');
    this.#next += 1;
    const op = this.#token;
    const [operator, value] = this.#operation();
    const places = new Map([
      ['', field.at],
      ['.field', field.at],
      ['.op', op.at],
    ]);
    if (value === undefined) return { filter: { field: field.text, op: operator }, places };
    places.set('.value', value.at);
    for (const [index, at] of value.each.entries()) places.set(`.value[${index}]`, at);
    return { filter: { field: field.text, op: operator, value: value.value }, places };
  }

  #operation(): [operator: string, value?: { value: Value | Value[]; at: number; each: number[] }] {
    if (this.#took('is')) {
      const isNot = this.#took('not');
      this.#need('set', 'after "is": write "is set" or "is not set"');
      return [isNot ? 'isNotSet' : 'isSet'];
    }
    if (this.#took('between')) {
      const first = this.#value();
      this.#need('and', 'between the two values');
      const last = this.#value();
      return ['between', { value: [first.value, last.value], at: first.at, each: [first.at, last.at] }];
    }
    const isNot = this.#took('not');
    if (this.#took('in')) return [isNot ? 'notIn' : 'in', this.#values()];
    if (isNot) this.#fail('expected "in" after "not"');
    const { kind, text } = this.#token;
    const operator = kind === 'sign' ? operators[text] : undefined;
    if (operator === undefined) this.#fail('expected one of = != < <= > >= ~ ^= in, between, is set');
    this.#next += 1;
    const { value, at } = this.#value();
    return [operator, { value, at, each: [] }];
  }

  #values() {
    const { at } = this.#token;
    this.#need('(', 'before the values of "in"');
    const values = [this.#value()];
    while (this.#took(',')) values.push(this.#value());
    this.#need(')', 'after the values of "in"');
    return { value: values.map(({ value }) => value), at, each: values.map((one) => one.at) };
  }

  #value(): { value: Value; at: number } {
    const { kind, text, at } = this.#token;
    if (kind === 'sign' || kind === 'end')
      this.#fail('expected a value: a word, a number, a date, or a text in quotes');
    this.#next += 1;
    if (kind === 'text') return { value: text, at };
    if (/^(?:true|false)$/i.test(text)) return { value: text.toLowerCase() === 'true', at };
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) return { value: text, at };
    const { kind: next, text: currency } = this.#token;
    if (next !== 'word' || !/^[A-Za-z]{3}$/.test(currency) || /^(?:and|not)$/i.test(currency))
      return { value: Number(text), at };
    this.#next += 1;
    return { value: { amount: Number(text), currency: currency.toUpperCase() }, at };
  }
}

const within = (path: string, { places }: Located): [string, number][] =>
  [...places].map(([part, at]) => [`${path}${part}`, at]);
