import { anyOf, type Matches, matcher } from './pattern.ts';

/** What a service says of a call, by the names of condition keys in lower case. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

type Texts = Record<string, Record<string, string | boolean | readonly (string | boolean)[]>>;

export interface Condition {
  isMet(values: Values): boolean;
  /** Of a condition that all values of a key must meet: the patterns that some value has met, or all of them. */
  met(values: Values): string[];
  patterns: string[];
}

interface Operator {
  compare(wanted: string): Matches;
  /** It holds where the value is none of the wanted ones. */
  isNegated?: boolean;
}

const equals = (wanted: string) => (value: string) => value === wanted;
/** Between its colons an ARN is compared like a text with wildcards. */
const operators: Record<string, Operator> = {
  StringEquals: { compare: equals },
  StringNotEquals: { compare: equals, isNegated: true },
  StringLike: { compare: matcher },
  StringNotLike: { compare: matcher, isNegated: true },
  ArnEquals: { compare: matcher },
  ArnLike: { compare: matcher },
  ArnNotLike: { compare: matcher, isNegated: true },
  Bool: { compare: equals },
};

/** The conditions of a statement. Throws for an operator that is not known here, so that none is passed over. */
export function conditionOf(texts: Texts): Condition {
  const tests = Object.entries(texts).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, wanted]) => testOf(operator, key.toLowerCase(), [wanted].flat().map(String))),
  );
  return {
    isMet: (values) => tests.every(({ isMet }) => isMet(values)),
    met: (values) => tests.flatMap(({ met }) => met(values)),
    patterns: tests.flatMap(({ patterns }) => patterns),
  };
}

const forAll = 'ForAllValues:';

function testOf(written: string, key: string, wanted: readonly string[]): Condition {
  if (wanted.some((text) => text.includes('${'))) throw new Error(`no policy variable is known here: ${wanted}`);
  const none = { met: () => [], patterns: [] };
  if (written === 'Null') return { ...none, isMet: (values) => wanted.includes(String(values[key] === undefined)) };
  const [, set, name = '', ifExists] = /^(ForAllValues:|ForAnyValue:)?(\w+?)(IfExists)?$/.exec(written) ?? [];
  const operator = operators[name];
  if (!operator) throw new Error(`the condition operator ${written} is not known here`);
  const single = wanted.map((pattern) => ({ pattern, holds: operator.compare(pattern) }));
  const isWanted = anyOf(single.map(({ holds }) => holds));
  const holds: Matches = operator.isNegated ? (value) => !isWanted(value) : isWanted;
  const valuesOf = (values: Values) => [values[key] ?? []].flat();
  const isMet = (values: Values) => {
    if (values[key] === undefined)
      return ifExists !== undefined || set === forAll || (operator.isNegated === true && set === undefined);
    return set === forAll ? valuesOf(values).every(holds) : valuesOf(values).some(holds);
  };
  if (set !== forAll || operator.isNegated) return { ...none, isMet };
  const met = (values: Values) =>
    single.filter((one) => valuesOf(values).some(one.holds)).map(({ pattern }) => pattern);
  return { isMet, met, patterns: [...wanted] };
}
