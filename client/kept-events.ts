import type { Call } from './call.ts';

type Get = Call<'get'>;

/** Sequences of the events that are kept. */
export interface Kept {
  oldest: number;
  newest: number;
}

/** Returns where the feed begins and ends; undefined where there is no event. */
export async function keptEvents(get: Get): Promise<Kept | undefined> {
  const page = async (query: { limit?: number; since?: 'latest' }) => get('/v1/events', { params: { query } });
  const [first, end] = await Promise.all([page({ limit: 1 }), page({ since: 'latest' })]);
  const oldest = first.items[0]?.sequence ?? undefined;
  return oldest === undefined ? undefined : { oldest, newest: Math.max(oldest, end.nextCursor ?? oldest) };
}
