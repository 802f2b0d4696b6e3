interface PageOf<Item, Cursor> {
  items: readonly Item[];
  hasMore: boolean;
  nextCursor: Cursor | null;
}

/** Reads the pages of a list one after the other, at most so many. `hasMore` says whether that was too few. */
export async function everyPage<Item, Cursor extends number | string>(
  read: (after: Cursor | undefined) => Promise<PageOf<Item, Cursor>>,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<{ items: Item[]; hasMore: boolean }> {
  const items: Item[] = [];
  let after: Cursor | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const found = await read(after);
    items.push(...found.items);
    if (!found.hasMore || found.nextCursor === null) return { items, hasMore: false };
    after = found.nextCursor;
  }
  return { items, hasMore: true };
}
