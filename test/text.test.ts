import { describe, expect, test } from 'vitest';
import { asciiDigitsIn, firstBytes, firstCharacters, foldCase, oneLine, withoutControls } from '#lib/core/text.ts';
import { previewOf } from '#lib/email/body.ts';
import { reasonOf } from '#lib/table/dead-letter.ts';

describe('a search finds', () => {
  test.each([
    ['Greek, final sigma or not', ['ΟΔΟΣ', 'οδος', 'οδοσ', 'Οδός', 'οδο\u0301ς']],
    ['Greek with dialytika, breathings and iota subscript', ['ΜΑΪΟΣ', 'Μάιος', 'μαϊος', 'ΜΑΙΟΣ']],
    ['polytonic Greek', ['Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ', 'οδυσσευς']],
    ['sharp s', ['STRASSE', 'Straße', 'STRAẞE', 'strasse']],
    ['Turkish i', ['İSTANBUL', 'istanbul', 'ISTANBUL', 'ıstanbul', 'İstanbul', 'i\u0307stanbul']],
    ['ligatures', ['ﬁnanz', 'FINANZ', 'Finanz']],
    ['two of them', ['oﬃce', 'OFFICE']],
    ['Armenian ligatures', ['ﬓ', 'ՄՆ', 'մն']],
    ['full width', ['ＡＢＣ１', 'abc1', 'ａｂｃ１']],
    ['half-width kana', ['ﾃﾞｰﾀ', 'データ']],
    ['one composition or the other', ['José', 'JOSE\u0301', 'jos\u00c9']],
    ['the Kelvin, Ångström and micro signs', ['\u212a\u212b', 'kå', 'K\u00c5']],
    ['long s', ['ſet', 'SET']],
    ['Cyrillic', ['МОСКВА', 'Москва']],
    ['Cyrillic with ё and a stress', ['Семён', 'семен', 'СЕМЕ\u0301Н']],
    ['Latin accents', ['José Ñandú', 'jose nandu', 'JOSÉ ÑANDÚ']],
    ['Vietnamese', ['Nguyễn Đức', 'nguyen duc']],
    ['letters with a stroke', ['Łódź Øre', 'lodz ore']],
    ['letters of two', ['Æther œuvre Þór', 'aether oeuvre thor']],
    ['apostrophes and dashes', ['O’Brien–x', "o'brien-x", 'OʼBRIEN−X', 'o`brien‑x']],
    ['Hebrew points', ['שָׁלוֹם', 'שלום']],
    ['Arabic vowels and tatweel', ['مُحَمَّد', 'محمد', 'مـحـمد']],
    ['what is not seen', ['so\u00adft', 'so\u200bft', 'soft']],
    ['Cherokee', ['ᏣᎳᎩ', 'ꮳꮃꭹ']],
    ['Deseret', ['𐐀𐐁', '𐐨𐐩']],
    ['digraphs with a title case', ['Ǆ', 'ǆ', 'ǅ']],
  ])('%s', (_, spellings) => {
    expect(new Set(spellings.map(foldCase))).toEqual(new Set([foldCase(spellings[0] as string)]));
  });

  test.each([
    ['й', 'и'],
    ['が', 'か'],
    ['क', 'कि'],
    ['5', '₅'],
  ])('nothing more: %s is not %s', (a, b) => expect(foldCase(a)).not.toBe(foldCase(b)));

  test('a part of a word as the whole word, and twice is once', () => {
    expect(foldCase('ΟΔΟΣ 5')).toContain(foldCase('ΟΔΟΣ'));
    expect(foldCase('Große Straße')).toContain(foldCase('OSSE'));
    for (const text of ['Ὀδυσσεύς', 'İẞﬃΐ', 'ŉ', 'ᾳ', 'ᾌδης', 'Ⱥ'])
      expect(foldCase(foldCase(text))).toBe(foldCase(text));
  });

  test('in time that grows with the text, and in no more than three times its bytes', () => {
    expect(foldCase(`α${'\u0301'.repeat(200_000)}i${'\u0307'.repeat(200_000)}`)).toBe('αi');
    for (let code = 0; code < 0x2_0000; code += 1) {
      const text = String.fromCodePoint(code);
      if (text.isWellFormed() && Buffer.byteLength(foldCase(text)) > 3 * Buffer.byteLength(text))
        throw new Error(`${code.toString(16)} grows`);
    }
  });
});

test('nothing that is stored of a text from outside holds half a character, wherever it is cut', () => {
  for (const half of ['\ud83d', '\ude00', '\ud83d\u0007\ud83d'])
    expect(
      [withoutControls(half), oneLine(`a${half}`)].every((text) => /\ufffd$/.test(text) && text.isWellFormed()),
    ).toBe(true);
  for (let length = 0; length < 10; length += 1) {
    const text = `${'x'.repeat(length)}${'😀'.repeat(10)}`;
    for (const cut of [firstBytes, firstCharacters])
      for (let limit = 0; limit < 40; limit += 1) expect(cut(text, limit).isWellFormed()).toBe(true);
  }
  for (let length = 2790; length < 2810; length += 1)
    expect(previewOf(`a${' '.repeat(length)}😀`).isWellFormed()).toBe(true);
  for (const start of ['', 'x']) expect(reasonOf(new Error(`${start}${'😀'.repeat(300)}`)).isWellFormed()).toBe(true);
});

test.each([
  '12345',
  '12-345',
  '1 2 3 4 5',
  ' 123\u00a045\n',
  'Login code: 12345.',
  '١٢٣٤٥',
  '۱۲۳۴۵',
  '１２３４５',
  '१२३४५',
  '১২৩৪৫',
  '๑๒๓๔๕',
  '𝟏𝟐𝟑𝟒𝟓',
  '𝟙𝟚𝟛𝟜𝟝',
])('the digits of %j are 12345', (text) => {
  expect(asciiDigitsIn(text)).toBe('12345');
});

test('a text without digits has none', () => {
  expect(asciiDigitsIn('apple')).toBe('');
});
