import { beforeAll, expect, test, vi } from 'vitest';

beforeAll(() => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
});

/** A list whose entries have these times, in pages of so many. */
function listOf(name: string, times: readonly number[], size: number) {
  const at = (time: number) => new Date(time * 1000).toISOString();
  const asked: number[] = [];
  const read = async (after = 0) => {
    asked.push(after);
    const page = times.slice(after, after + size);
    const last = page.at(-1);
    return {
      entries: page.map((time) => ({ key: `${name}${time}`, at: at(time) })),
      rest: last !== undefined && after + size < times.length ? { after: after + size, at: at(last) } : undefined,
    };
  };
  return { asked, read };
}

test.each([
  { a: [9, 7, 5], b: [8, 6, 4], size: 1, wanted: 4, keys: 'a9 b8 a7 b6', hasMore: true },
  { a: [9, 8, 7, 6], b: [1], size: 2, wanted: 3, keys: 'a9 a8 a7', hasMore: true },
  { a: [9, 8, 7, 6], b: [1], size: 2, wanted: 9, keys: 'a9 a8 a7 a6 b1', hasMore: false },
  { a: [], b: [2, 1], size: 5, wanted: 2, keys: 'b2 b1', hasMore: false },
  { a: [], b: [], size: 5, wanted: 2, keys: '', hasMore: false },
])('the timeline of $a and $b in pages of $size begins with $keys', async ({ a, b, size, wanted, keys, hasMore }) => {
  const { merged } = await import('#panel/pages/contacts/merged.ts');
  const found = await merged([listOf('a', a, size).read, listOf('b', b, size).read], wanted);
  expect(found.entries.map(({ key }) => key).join(' ')).toBe(keys);
  expect(found.hasMore).toBe(hasMore);
});

test('the timeline reads no page that it does not need', async () => {
  const { merged } = await import('#panel/pages/contacts/merged.ts');
  const [newer, older] = [listOf('a', [9, 8, 7, 6], 2), listOf('b', [3, 2, 1], 1)];
  await merged([newer.read, older.read], 3);
  expect([newer.asked, older.asked]).toEqual([[0, 2], [0]]);
});

test.each([
  ['text', { 'fields.x': 'fair' }, 'fair'],
  ['number', { 'fields.x': '1.5' }, 1.5],
  ['money', { 'fields.x': '9.90', 'fields.x.currency': 'eur' }, { amount: 9.9, currency: 'EUR' }],
  ['checkbox', { 'fields.x': 'false' }, false],
  ['date', { 'fields.x': '2026-11-30' }, '2026-11-30'],
  ['select', { 'fields.x': 'Gold' }, 'Gold'],
  ['multi_select', { 'fields.x': '["a","b"]' }, ['a', 'b']],
  ['member', { 'fields.x': '3' }, 3],
  ['contact', { 'fields.x': 'Ann (#7)' }, 7],
  ['company', { 'fields.x': 'Acme (#8)' }, 8],
  ['deal', { 'fields.x': 'Seats (#9)' }, 9],
  ['number', {}, null],
  ['multi_select', {}, null],
])('a field of the type %s takes %j as %j', async (type, given, value) => {
  const { valueIn } = await import('#panel/parts/field-values.ts');
  expect(valueIn({ slug: 'x', type }, given, undefined)).toEqual(value);
});

test.each([
  ['{"source":"fair"}', { source: 'fair' }],
  [undefined, {}],
])('metadata is read from %j', async (text, pairs) => {
  const { metadataIn } = await import('#panel/parts/metadata-text.ts');
  expect(metadataIn(text)).toEqual(pairs);
});

test.each(['source=fair', '["a"]', '{"a":1}', 'null'])('metadata is not read from %s', async (text) => {
  const { metadataIn } = await import('#panel/parts/metadata-text.ts');
  const { showTexts } = await import('#panel/app/texts.ts');
  const { texts } = await import('#panel/texts/en.ts');
  showTexts(texts);
  expect(() => metadataIn(text)).toThrow('That is no JSON object of texts');
});

test.each([
  ['overdue', '2026-11-28', '2026-11-28'],
  ['week', '2026-11-28', '2026-11-30'],
  ['week', '2026-11-29', '2026-11-30'],
  ['week', '2026-11-30', '2026-12-07'],
  ['month', '2026-01-31', '2026-02-01'],
  ['month', '2026-12-15', '2027-01-01'],
  ['quarter', '2026-11-28', '2027-01-01'],
  ['quarter', '2026-01-31', '2026-04-01'],
])('deals that close by %s on %s close before %s', async (closing, today, day) => {
  const { closesBefore } = await import('#panel/pages/deals/closing.ts');
  expect(closesBefore(closing, today)).toBe(`${day}T00:00:00.000Z`);
});
