import { expect, test } from 'vitest';
import { isExpression, readExpression } from '../../cli/search/expression.ts';
import { UsageError } from '../../cli/verb.ts';

const one = (field: string, op: string, value?: unknown) => ({ field, op, ...(value !== undefined && { value }) });

test.each([
  ['stage = qualified', one('stage', 'eq', 'qualified')],
  ['name != "Ada \\"Countess\\""', one('name', 'ne', 'Ada "Countess"')],
  ["name ~ 'two words'", one('name', 'contains', 'two words')],
  ['email ^= ada@', one('email', 'startsWith', 'ada@')],
  ['leadScore<50', one('leadScore', 'lt', 50)],
  ['leadScore <= -1.5', one('leadScore', 'lte', -1.5)],
  ['fields.budget >= 1000 eur', one('fields.budget', 'gte', { amount: 1000, currency: 'EUR' })],
  ['hasUnreadMessages = TRUE', one('hasUnreadMessages', 'eq', true)],
  ['lastMessageAt > today-30d', one('lastMessageAt', 'gt', 'today-30d')],
  ['createdAt < 2026-11-20T10:00:00+01:00', one('createdAt', 'lt', '2026-11-20T10:00:00+01:00')],
  ['phone = "4930555"', one('phone', 'eq', '4930555')],
  ['stage IN (new, qualified)', one('stage', 'in', ['new', 'qualified'])],
  ['tags not in (vip)', one('tags', 'notIn', ['vip'])],
  ['email is set', one('email', 'isSet')],
  ['email is not set', one('email', 'isNotSet')],
  ['leadScore between 1 and 10', one('leadScore', 'between', [1, 10])],
])('the condition %s is read', (source, filter) => {
  expect(readExpression(source).filter).toEqual(filter);
});

test('and binds stronger than or, not strongest, and parentheses group', () => {
  const { filter, fields } = readExpression('a = 1 or b = 2 and not c = 3 and (a = 4 or leadScore between 5 and 6)');
  const inner = { or: [one('a', 'eq', 4), one('leadScore', 'between', [5, 6])] };
  expect(filter).toEqual({
    or: [one('a', 'eq', 1), { and: [one('b', 'eq', 2), { not: one('c', 'eq', 3) }, inner] }],
  });
  expect(fields).toEqual(['a', 'b', 'c', 'leadScore']);
});

test.each([
  ['stage >', 7, 'expected a value'],
  ['stage == new', 7, 'expected a value'],
  ['stage', 5, 'expected one of'],
  ['= new', 0, 'expected the name of a field'],
  ['(stage = new', 12, 'expected ")"'],
  ['stage = new)', 11, 'expected "and", "or", or the end'],
  ['stage = new qualified', 12, 'expected "and", "or", or the end'],
  ['stage = new and', 15, 'expected the name of a field'],
  ['stage in new', 9, 'expected "("'],
  ['stage in (new', 13, 'expected ")"'],
  ['stage not new', 10, 'expected "in"'],
  ['email is unset', 9, 'expected "set"'],
  ['leadScore between 1, 2', 19, 'expected "and"'],
  ['name = "Ada', 7, 'no closing quote'],
  ['stage ! new', 6, 'is no sign'],
])('the fault of %s is named at its place', (source, at, message) => {
  const read = () => readExpression(source);
  expect(read).toThrow(UsageError);
  expect(read).toThrow(expect.objectContaining({ message: expect.stringContaining(message), place: { source, at } }));
});

test('places of the filter lead back to the expression', () => {
  const source = 'stage = new or not (leadScore > x and tags in (vip, 7))';
  const { placeOf } = readExpression(source);
  const at = (path: string) => source.slice(placeOf(path));
  expect(at('filter.or[0].field')).toMatch(/^stage/);
  expect(at('filter.or[1].not.and[0].op')).toMatch(/^> x/);
  expect(at('filter.or[1].not.and[0].value')).toMatch(/^x and/);
  expect(at('filter.or[1].not.and[1].value[1]')).toMatch(/^7\)/);
  expect(at('filter.or[1].not')).toMatch(/^not/);
  expect(placeOf('sort[0].field')).toBeUndefined();
});

test.each(['ada', 'ada lovelace', 'ada is here', 'not ada', 'between', 'x in a', 'ada@example.com', ''])(
  'the words "%s" are no expression',
  (text) => expect(isExpression(text)).toBe(false),
);
test.each(['a=1', '( not a = 1)', 'a is  not set', 'a not in(1)', 'fields.x ~ y'])('%s is an expression', (text) =>
  expect(isExpression(text)).toBe(true),
);
