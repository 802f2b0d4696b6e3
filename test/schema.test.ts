import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { fieldErrors } from '#lib/core/fields.ts';
import {
  choice,
  cleaned,
  currency,
  idInput,
  integer,
  isShownOnce,
  line,
  money,
  nullableLine,
  nullablePattern,
  nullableSecret,
  nullableText,
  nullableTimeInput,
  paging,
  queryBoolean,
  queryIds,
  queryInteger,
  queryText,
  queryTime,
  secret,
  shownOnce,
  text,
  timeInput,
} from '#lib/core/schema.ts';
import { oneLine, withoutControls } from '#lib/core/text.ts';

/** The output, or the code of the first field error. */
const read = (schema: v.GenericSchema, input: unknown) => {
  const parsed = v.safeParse(schema, input);
  return parsed.success ? parsed.output : fieldErrors(parsed.issues).map(({ code }) => code)[0];
};

test('a secret is measured in the bytes that are encrypted', () => {
  expect(read(secret(), '😀'.repeat(1024))).toBe('😀'.repeat(1024));
  expect(read(secret(), '😀'.repeat(1025))).toBe('too_long');
  expect(read(nullableSecret(), '')).toBe(null);
  expect(read(nullableSecret(), 'é'.repeat(2049))).toBe('too_long');
});

test('a value shown once is marked by its declaration, not by its type', () => {
  expect(isShownOnce(shownOnce())).toBe(true);
  expect(isShownOnce(v.nullable(v.string()))).toBe(false);
});

describe('text', () => {
  test('is trimmed, and blank text counts as absent', () => {
    expect(read(text(10), '  a b ')).toBe('a b');
    expect(read(text(10), '   ')).toBe('required');
    expect(read(text(10), null)).toBe('required');
    expect(read(text(10), 5)).toBe('invalid_type');
    expect(read(nullableText(10), ' ')).toBe(null);
  });

  test('is measured in Unicode code points', async () => {
    await fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'é', '😀', '\u{20BB7}'), { maxLength: 12 }), (characters) => {
        const long = characters.length > 5;
        expect(read(text(5, 0), `x${characters.slice(1).join('')}`)).toBe(
          long ? 'too_long' : `x${characters.slice(1).join('')}`,
        );
      }),
    );
  });
});

describe('control characters', () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((one) =>
    /\p{Cc}/u.test(one),
  );
  const breaks = ['\t', '\n', '\r'];

  test('are refused in every text, but tab, line feed and carriage return', () => {
    expect(controls).toHaveLength(65);
    for (const control of controls) {
      const given = `a${control}b`;
      const expected = breaks.includes(control) ? given : 'invalid_format';
      for (const schema of [text(10), nullableText(10), queryText(10)]) expect(read(schema, given)).toBe(expected);
    }
  });

  test('are refused one and all where the text is one line', () => {
    const email = nullablePattern(/^[^@]+@[^@]+$/, 10, 'an e-mail address');
    for (const control of controls) {
      for (const schema of [line(10), nullableLine(10), email])
        expect(read(schema, `a${control}@b`)).toBe('invalid_format');
    }
  });

  test('at the ends of a text are trimmed first where they are white space', () => {
    expect(read(line(10), '\t a b\r\n')).toBe('a b');
    expect(read(line(10), '\u0000 a')).toBe('invalid_format');
  });

  test('are taken away where the text comes from outside', () => {
    expect(withoutControls(`a${controls.join('')}b`)).toBe('a\t\n\rb');
    expect(oneLine('\u0000 a\r\n\tb\u009f\u007f ')).toBe('a b');
    expect(read(cleaned(nullableLine(3), oneLine), '\u0001a\nb\u0001')).toBe('a b');
    expect(read(cleaned(nullableLine(3), oneLine), '\u0001')).toBe(null);
  });
});

describe('date-times', () => {
  test('may carry an offset or a fraction, and are answered in UTC to the second', () => {
    for (const [given, expected] of [
      ['2026-11-20T23:17:47.999Z', '2026-11-20T23:17:47Z'],
      ['2026-11-20T23:17:47+02:00', '2026-11-20T21:17:47Z'],
      ['2026-11-20t23:17:47z', '2026-11-20T23:17:47Z'],
      ['2026-11-20 23:17:47.678+00', '2026-11-20T23:17:47Z'],
      ['2026-11-20 20:17:47-03', '2026-11-20T23:17:47Z'],
      ['2026-11-20 23:17:47 +0530', '2026-11-20T17:47:47Z'],
      ['2026-11-20T23:17', '2026-11-20T23:17:00Z'],
      ['2026-11-20T24:00:00', '2026-11-21T00:00:00Z'],
      ['2026-11-20', '2026-11-20T00:00:00Z'],
    ])
      expect(read(timeInput(), given), given).toBe(expected);
    expect(read(nullableTimeInput(), null)).toBe(null);
  });

  test('are refused when they do not exist', () => {
    for (const wrong of [
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-02-29',
      '2026-11-20+02',
      '20261120T231747Z',
      '2026-W47-5',
      '2026-11-20T23:17:47,678Z',
      '2026-11-20T23:17:47 02:00',
      '2026-11-20T23:17:47+99:00',
      'yesterday',
      '2026-11-20T25:00:00Z',
      '+012026-01-01T00:00:00Z',
    ]) {
      expect(read(timeInput(), wrong), wrong).toBe('invalid_format');
    }
    expect(read(timeInput(), 1_763_680_667)).toBe('invalid_type');
  });

  test('in a query may have lost the + of their offset to a space', () => {
    for (const lost of ['2026-11-20T23:17:47 02:00', '2026-11-20T23:17:47  0200', '2026-11-20T23:17 02'])
      expect(String(read(queryTime(), lost)).slice(0, 16), lost).toBe('2026-11-20T21:17');
    expect(read(queryTime(), '2026-11-20 21:17')).toBe('2026-11-20T21:17:00Z');
  });

  test('are answered with the form and an example when they are wrong', () => {
    const { issues = [] } = v.safeParse(timeInput(), 'yesterday');
    expect(issues[0]?.message).toBe('must be an ISO 8601 date-time such as 2026-11-20T23:17:47Z');
  });

  test('survive being written and read at any instant', async () => {
    await fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
        (date) => {
          expect(read(timeInput(), date.toISOString())).toBe(`${date.toISOString().slice(0, 19)}Z`);
        },
      ),
    );
  });
});

describe('numbers', () => {
  test('keep their range and their type', () => {
    expect(read(integer(0, 100), 100)).toBe(100);
    expect(read(integer(0, 100), 101)).toBe('out_of_range');
    expect(read(integer(0, 100), 1.5)).toBe('invalid_type');
    expect(read(integer(0, 100), '5')).toBe('invalid_type');
    expect(read(idInput(), Number.NaN)).toBe('invalid_type');
  });

  test('read as an id that does not exist when they are out of range', () => {
    for (const value of [0, -1, 2_147_483_648, 99_999_999_999]) expect(read(idInput(), value)).toBe(2_147_483_647);
  });

  test('for money have at most four decimals at any size', async () => {
    await fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999_999_999 }), (cents) => {
        expect(read(money(0.01), cents / 100)).toBe(cents / 100);
      }),
    );
    expect(read(money(0.01), 0.001)).toBe('out_of_range');
    expect(read(money(0.01), 10.00005)).toBe('invalid_format');
    expect(read(money(0.01), 1e12 + 1)).toBe('out_of_range');
  });
});

describe('enums', () => {
  test('are read in any case', () => {
    expect(read(choice(['lead', 'won']), ' Lead ')).toBe('lead');
    expect(read(choice(['lead', 'won']), 'x')).toBe('invalid_enum');
    expect(read(choice(['lead', 'won']), 7)).toBe('invalid_type');
    expect(read(currency(), 'eur')).toBe('EUR');
    expect(read(currency(), 'EURO')).toBe('invalid_format');
    expect(read(currency(), 'QQQ')).toBe('invalid_format');
  });
});

describe('query parameters', () => {
  const page = v.object(paging);

  test('clamp the limit and refuse what is no integer', () => {
    expect(v.parse(page, {})).toEqual({ limit: 25 });
    expect(v.parse(page, { limit: '1000', after: '7' })).toEqual({ limit: 100, after: 7 });
    expect(v.parse(page, { limit: '-3' })).toEqual({ limit: 1 });
    expect(read(page, { limit: '2.5' })).toBe('invalid_type');
    expect(read(page, { after: 'x' })).toBe('invalid_type');
  });

  test('come as text and leave as what they mean', () => {
    expect(read(queryInteger(), '12')).toBe(12);
    expect(read(queryInteger(), '1e3')).toBe('invalid_type');
    expect(read(queryBoolean(), 'TRUE')).toBe(true);
    expect(read(queryBoolean(), 'yes')).toBe('invalid_type');
    expect(read(queryIds(), '3, 1,3')).toEqual([3, 1]);
    expect(read(queryIds(), '3;1')).toBe('invalid_format');
    expect(read(queryIds(), Array.from({ length: 101 }, (_, index) => index + 1).join(','))).toBe('too_many');
  });
});

test('a nested field is named as items[3].phone, and a query field with its prefix', () => {
  const schema = v.object({ items: v.array(v.object({ phone: v.string() })) });
  const parsed = v.safeParse(schema, { items: [{ phone: '1' }, { phone: 5 }] });
  expect(fieldErrors(parsed.issues ?? [])).toEqual([
    { field: 'items[1].phone', code: 'invalid_type', message: 'items[1].phone must be a string' },
  ]);
  expect(fieldErrors(v.safeParse(v.object({ stage: choice(['a']) }), { stage: 'b' }).issues ?? [], 'query.')).toEqual([
    { field: 'query.stage', code: 'invalid_enum', message: 'query.stage must be one of a' },
  ]);
});
