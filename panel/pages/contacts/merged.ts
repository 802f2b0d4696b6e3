/** A page of a list, the newest first. */
export interface Page<Entry> {
  entries: readonly Entry[];
  /** How the page after it is asked for, and a time that nothing on it is later than; undefined for the last. */
  rest?: { after: number; at: string } | undefined;
}

/** Reads a list of what has happened, page by page. */
export type Source<Entry> = (after?: number) => Promise<Page<Entry>>;

/** Merges lists into one, the newest first, with at least `wanted` entries where there are so many. Reads no more pages than it needs. */
export async function merged<Entry extends { at: string }>(
  sources: readonly Source<Entry>[],
  wanted: number,
): Promise<{ entries: readonly Entry[]; hasMore: boolean }> {
  const lists = await Promise.all(sources.map(async (read) => ({ read, ...(await read()) })));
  for (;;) {
    const open = lists.filter(({ rest }) => rest !== undefined);
    // What a list has yet to give may be as new as that.
    const horizon = open.reduce((latest, { rest }) => (rest && rest.at > latest ? rest.at : latest), '');
    const entries = lists
      .flatMap((list) => list.entries)
      .filter(({ at }) => at >= horizon)
      .sort((one, other) => (one.at === other.at ? 0 : one.at < other.at ? 1 : -1));
    const next = open.find(({ rest }) => rest?.at === horizon);
    if (entries.length >= wanted || !next)
      return { entries: entries.slice(0, wanted), hasMore: entries.length > wanted || next !== undefined };
    const page = await next.read(next.rest?.after);
    next.entries = [...next.entries, ...page.entries];
    next.rest = page.rest;
  }
}
