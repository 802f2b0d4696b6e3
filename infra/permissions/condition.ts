import type { Values } from '#infra/local/calls.ts';
import { anyOf, type Matches, matcher } from './pattern.ts';

type Texts = Record<string, Record<string, string | boolean | readonly (string | boolean)[]>>;

/** Whether a condition holds for a call. */
export type Condition = (values: Values) => boolean;

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

/** Reads the conditions of a statement. Throws for an operator that is not known here, so that none is passed over. */
export function conditionOf(texts: Texts): Condition {
  const tests = Object.entries(texts).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, wanted]) => testOf(operator, key.toLowerCase(), [wanted].flat().map(String))),
  );
  return (values) => tests.every((holds) => holds(values));
}

const forAll = 'ForAllValues:';

function testOf(written: string, key: string, wanted: readonly string[]): Condition {
  if (wanted.some((text) => text.includes('${'))) throw new Error(`no policy variable is known here: ${wanted}`);
  if (written === 'Null') return (values) => wanted.includes(String(values[key] === undefined));
  const [, set, name = '', ifExists] = /^(ForAllValues:|ForAnyValue:)?(\w+?)(IfExists)?$/.exec(written) ?? [];
  const operator = operators[name];
  if (!operator) throw new Error(`the condition operator ${written} is not known here`);
  const isWanted = anyOf(wanted.map(operator.compare));
  const holds: Matches = operator.isNegated ? (value) => !isWanted(value) : isWanted;
  return ({ [key]: value }) => {
    if (value === undefined)
      return ifExists !== undefined || set === forAll || (operator.isNegated === true && set === undefined);
    return set === forAll ? [value].flat().every(holds) : [value].flat().some(holds);
  };
}
