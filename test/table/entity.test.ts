import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type By, type Contains, entity, indexPartition, type Where } from '#lib/table/entity.ts';
import { listingFrom } from '#lib/table/listing.ts';

const Marks = entity({
  name: 'mark',
  schema: v.object({ id: v.number(), color: v.picklist(['red', 'blue']), bookId: v.nullable(v.number()) }),
  indexes: {
    color: ({ color }) => color,
    book: ({ bookId }) => bookId,
    bound: ({ bookId }) => bookId !== null,
    inBook: { at: 'book={bookId}&color={color}', of: ({ bookId, color }) => bookId !== null && { bookId, color } },
    latest: { order: ({ id }) => String(-id) },
    search: { copy: ({ color }) => ({ text: color }) },
  },
});
const Bare = entity({ name: 'bare', schema: v.object({ id: v.number() }) });

test('a query knows the indexes that are declared and what they are asked by, or it does not compile', () => {
  const all: Where<typeof Marks> = { color: 'red', book: 5, bound: true, inBook: { bookId: 5, color: 'blue' } };
  const texts: Contains<typeof Marks> = { search: 're' };
  const ordered: By<typeof Marks> = { latest: true };
  // @ts-expect-error no index is called so
  const typo: Where<typeof Marks> = { colour: 'red' };
  // @ts-expect-error no item has this value
  const value: Where<typeof Marks> = { color: 'green' };
  // @ts-expect-error a page is in order of id
  const page: Where<typeof Marks> = { latest: true };
  // @ts-expect-error a part of the name is missing
  const part: Where<typeof Marks> = { inBook: { bookId: 5 } };
  // @ts-expect-error it keeps no text
  const text: Contains<typeof Marks> = { color: 're' };
  // @ts-expect-error it has no index
  const none: Where<typeof Bare> = { color: 'red' };
  expect([all, texts, ordered, typo, value, page, part, text, none]).toHaveLength(9);
});

test('every filter of a query is answered, by itself where an index is called so, or it does not compile', () => {
  const query: { limit: number; color?: 'red' | undefined; bookId?: number | undefined } = { limit: 5, color: 'red' };
  const bookId = (book: number) => ({ where: { book } });
  expect(listingFrom(Marks, query, { bookId })).toMatchObject({ limit: 5, where: { color: 'red' } });
  expect(listingFrom(Marks, { limit: 5, bookId: 7 }, { bookId }).where).toEqual({ book: 7 });
  // @ts-expect-error a filter is not answered
  listingFrom(Marks, query, {});
  // @ts-expect-error no item has this value
  listingFrom(Marks, { limit: 5, color: 'green' }, {});
  // @ts-expect-error there is no such filter
  listingFrom(Marks, query, { bookId, taskId: bookId });
});

test('a filter that is called as a field compares it, but for the ids of others', () => {
  const Books = entity({
    name: 'book',
    schema: v.object({ id: v.number(), title: v.nullable(v.string()), tags: v.array(v.string()), shelf: v.number() }),
    indexes: { shelf: { order: ({ shelf }) => String(shelf) } },
  });
  const { matches, where } = listingFrom(Books, { limit: 5, title: 'Emma', shelf: 2 }, {});
  const book = { id: 1, title: 'Emma', tags: ['new'], shelf: 2 };
  const others = [
    { ...book, title: null },
    { ...book, title: 'emma' },
    { ...book, shelf: 3 },
  ];
  expect([where, [book, ...others].map((one) => matches?.(one))]).toEqual([{}, [true, false, false, false]]);
  // @ts-expect-error a title is a text
  listingFrom(Books, { limit: 5, title: 7 }, {});
  // @ts-expect-error a list is compared with nothing
  listingFrom(Books, { limit: 5, tags: ['new'] }, {});
});

test('an index is called after its value, or as it says', () => {
  const partition = (by: By<typeof Marks>) => indexPartition({ workspaceId: 7, env: 'live' }, Marks, by);
  expect(partition({ color: 'red' })).toBe('7:live#mark?color=red');
  expect(partition({ bound: true })).toBe('7:live#mark?bound');
  expect(partition({ inBook: { bookId: 5, color: 'blue' } })).toBe('7:live#mark?book=5&color=blue');
});
