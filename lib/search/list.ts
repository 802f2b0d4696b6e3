import type { Entity, Item } from '#lib/table/entity.ts';
import { type Listing, listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/**
 * Returns one page of a list of a noun, as `listPage` does. It asks the copy of the noun for what no index tells: at once for a text,
 * and for another filter where the newest rows are too few.
 */
export async function listNoun<E extends Entity>(tx: UnitOfWork, of: E, listing: Listing<E>): Promise<Page<Item<E>>> {
  const { matches, columns, words, ids, limit } = listing;
  if (matches === undefined || columns === undefined || ids !== undefined) return listPage(tx, of, listing);
  // A list that asks no copy does not wait for the reader of its file.
  const { listByCopy } = await import('./list-by-copy.ts');
  if (words !== undefined) return listByCopy(tx, of, listing, { matches, columns });
  const begun = await listPage(tx, of, { ...listing, maxUnits: 0 });
  if (begun.nextCursor === null || begun.items.length === limit) return begun;
  const others = { ...listing, after: begun.nextCursor, limit: limit - begun.items.length };
  const rest = await listByCopy(tx, of, others, { matches, columns });
  return { ...rest, items: [...begun.items, ...rest.items] };
}
