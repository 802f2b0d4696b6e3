import { describe, expect, test } from 'vitest';
import { exportObjects, fieldObjectOf } from '#lib/core/choices.ts';
import { nouns } from '#lib/search/nouns.ts';
import { type CellKind, readCell, writeCell } from '#lib/sheets/cells.ts';
import { columns, isRecordObject } from '#lib/sheets/columns.ts';

const same: [CellKind, unknown, string][] = [
  ['text', 'Ada', 'Ada'],
  ['text', '=1+1', "'=1+1"],
  ['text', '+49 170 1', "'+49 170 1"],
  ['text', '-', "'-"],
  ['text', '@ada', "'@ada"],
  ['text', '\t=1', "'\t=1"],
  ['text', "'=1", "''=1"],
  ['text', "'quoted'", "'quoted'"],
  ['text', 'a;b', 'a;b'],
  ['text', ' two\nlines "quoted", ', ' two\nlines "quoted", '],
  ['integer', 7, '7'],
  ['number', -12.5, '-12.5'],
  ['number', 1e21, '1e+21'],
  ['number', 0.000001, '0.000001'],
  ['boolean', true, 'true'],
  ['boolean', false, 'false'],
  ['time', '2026-11-29T01:02:03Z', '2026-11-29T01:02:03Z'],
  ['date', '2026-11-29', '2026-11-29'],
  ['money', { amount: 12.5, currency: 'EUR' }, '12.50 EUR'],
  ['money', { amount: -1200, currency: 'JPY' }, "'-1200 JPY"],
  ['money', { amount: 1.234, currency: 'KWD' }, '1.234 KWD'],
  ['texts', ['vip', 'a;b', String.raw`c\d`, String.raw`e\;`], String.raw`vip;a\;b;c\\d;e\\\;`],
  ['texts', ['=x', 'y'], "'=x;y"],
  ['integers', [3, 4], '3;4'],
  ['json', { a: [1, 'x'] }, '{"a":[1,"x"]}'],
];

describe('cells', () => {
  test.each(same)('%s %j is written as %j and read again', (kind, value, cell) => {
    expect(writeCell(kind, value)).toBe(cell);
    expect(readCell(kind, cell)).toEqual(value);
  });

  test('nothing and an empty list are empty cells', () => {
    expect([writeCell('text', null), writeCell('texts', []), writeCell('money', undefined)]).toEqual(['', '', '']);
    expect([readCell('text', ' '), readCell('texts', ''), readCell('boolean', "'")]).toEqual([
      undefined,
      undefined,
      "'",
    ]);
  });

  test('spellings of people are read', () => {
    expect(readCell('texts', String.raw`a; b ;;c\x`)).toEqual(['a', 'b', String.raw`c\x`]);
    expect([readCell('boolean', 'Yes'), readCell('boolean', '0')]).toEqual([true, false]);
    expect(readCell('money', '7.5eur')).toEqual({ amount: 7.5, currency: 'EUR' });
  });

  test('a text that is no value of its kind stays a text', () => {
    expect([
      readCell('number', '12,5'),
      readCell('boolean', 'maybe'),
      readCell('money', '12'),
      readCell('json', '{'),
    ]).toEqual(['12,5', 'maybe', '12', '{']);
  });
});

test('every field that filters take is a column', () => {
  for (const object of exportObjects.filter(isRecordObject)) {
    const names = columns[object].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(nouns[fieldObjectOf[object]].fields)));
  }
});

test('no object has a column twice', () => {
  for (const object of exportObjects) {
    const names = columns[object].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  }
});
