import { expect, test } from 'vitest';
import { mergedOptions, moved, openOptions, slugOf } from '#panel/pages/settings/field-options.ts';

test.each([
  ['Lead source', 'lead_source'],
  ['Größe (cm)', 'grosse_cm'],
  ['2nd owner!', 'nd_owner'],
  ['  Straße & Ort ', 'strasse_ort'],
  ['客户', ''],
  ['x'.repeat(50), 'x'.repeat(40)],
])('the title %j suggests the slug %j', (title, slug) => {
  expect(slugOf(title)).toBe(slug);
});

const [red, blue, green] = [
  { id: 1, label: 'Red', color: '#ff0000' },
  { id: 2, label: 'Blue', color: '#0000ff' },
  { id: 3, label: 'Green', color: '#00ff00' },
];

test.each([
  ['keeps an option that somebody has added', [red], [red], [red, blue], [red, blue]],
  ['takes a label that somebody has changed', [red], [red], [{ ...red, label: 'Rot' }], [{ ...red, label: 'Rot' }]],
  [
    'keeps a label that is edited here',
    [red],
    [{ ...red, label: 'Rosso' }],
    [{ ...red, label: 'Rot' }],
    [{ ...red, label: 'Rosso' }],
  ],
  ['leaves out what was removed here', [red, blue], [blue], [red, blue], [blue]],
  ['leaves out what was removed there', [red, blue], [red, blue], [blue], [blue]],
  [
    'keeps a new option',
    [red],
    [red, { label: 'New', color: '#111111' }],
    [red],
    [red, { label: 'New', color: '#111111' }],
  ],
  [
    'keeps one of two options of a label',
    [red],
    [red, { label: 'green', color: '#111111' }],
    [red, green],
    [red, { label: 'green', color: '#111111' }],
  ],
])('a merge of options %s', (_, before, mine, theirs, merged) => {
  expect(mergedOptions(before, mine, theirs)).toEqual(merged);
});

test('archived options are not edited', () => {
  expect(
    openOptions([
      { ...red, isArchived: true },
      { ...blue, isArchived: false },
    ] as never),
  ).toEqual([blue]);
});

test.each([
  [0, 2, ['b', 'c', 'a']],
  [2, 0, ['c', 'a', 'b']],
  [1, 1, ['a', 'b', 'c']],
])('an entry moves from %d to %d', (from, to, list) => {
  expect(moved(['a', 'b', 'c'], from, to)).toEqual(list);
});
