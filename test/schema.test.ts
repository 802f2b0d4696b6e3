import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { fieldErrors } from '#lib/http/fields.ts';
import {
  choice,
  currency,
  id,
  integer,
  money,
  nullableText,
  nullableTimeInput,
  paging,
  queryBoolean,
  queryIds,
  queryInteger,
  text,
  timeInput,
} from '#lib/schema.ts';

/** The output, or the code of the first field error. */
const read = (schema: v.GenericSchema, input: unknown) => {
  const parsed = v.safeParse(schema, input);
  return parsed.success ? parsed.output : fieldErrors(parsed.issues).map(({ code }) => code)[0];
};

describe('text', () => {
  test('is trimmed, and blank text counts as absent', () => {
    expect(read(text(10), '  a b ')).toBe('a b');
    expect(read(text(10), '   ')).toBe('required');
    expect(read(text(10), null)).toBe('required');
    expect(read(text(10), 5)).toBe('invalid_type');
    expect(read(nullableText(10), ' ')).toBe(null);
  });

  test('is measured in Unicode code points', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'é', '😀', '\u{20BB7}'), { maxLength: 12 }), (characters) => {
        const long = characters.length > 5;
        expect(read(text(5, 0), `x${characters.slice(1).join('')}`)).toBe(
          long ? 'too_long' : `x${characters.slice(1).join('')}`,
        );
      }),
    );
  });
});

describe('date-times', () => {
  test('may carry an offset or a fraction; what comes out is UTC to the second', () => {
    expect(read(timeInput(), '2026-11-20T23:17:47.999Z')).toBe('2026-11-20T23:17:47Z');
    expect(read(timeInput(), '2026-11-20T23:17:47+02:00')).toBe('2026-11-20T21:17:47Z');
    expect(read(timeInput(), '2026-11-20T23:17:47')).toBe('2026-11-20T23:17:47Z');
    expect(read(nullableTimeInput(), null)).toBe(null);
  });

  test('that do not exist are refused', () => {
    for (const wrong of [
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-11-20',
      'yesterday',
      '2026-11-20T25:00:00Z',
      '+012026-01-01T00:00:00Z',
    ]) {
      expect(read(timeInput(), wrong), wrong).toBe('invalid_format');
    }
    expect(read(timeInput(), 1_763_680_667)).toBe('invalid_type');
  });

  test('of any instant survive being written and read', () => {
    fc.assert(
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
    expect(read(id(), Number.NaN)).toBe('invalid_type');
  });

  test('that no id can be are an id that nothing has, for the look-up to refuse', () => {
    for (const value of [0, -1, 2_147_483_648, 99_999_999_999]) expect(read(id(), value)).toBe(2_147_483_647);
  });

  test('of money have at most two decimals, whatever their size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999_999_999_999 }), (cents) => {
        expect(read(money(0.01), cents / 100)).toBe(cents / 100);
      }),
    );
    expect(read(money(0.01), 0.001)).toBe('out_of_range');
    expect(read(money(0.01), 10.005)).toBe('invalid_format');
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
