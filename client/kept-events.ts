import type { Call } from './call.ts';

type Get = Call<'get'>;

/** Sequences of the events that are kept. */
export interface Kept {
  oldest: number;
  newest: number;
}

/**
 * Where the feed begins and ends; undefined where there is no event. The feed begins at its oldest event and has no holes, so the end
 * is found by looking ever further ahead, and then between the last place that has an event and the first that has none.
 */
export async function keptEvents(get: Get): Promise<Kept | undefined> {
  const after = async (since?: number) => {
    const query = { limit: 1, ...(since !== undefined && { since }) };
    return (await get('/v1/events', { params: { query } })).items[0]?.sequence ?? undefined;
  };
  const oldest = await after();
  if (oldest === undefined) return undefined;
  let last = oldest;
  let beyond: number | undefined;
  for (let step = 0; beyond === undefined; step = step * 4 + 1) {
    const found = await after(last + step);
    if (found === undefined) beyond = last + step;
    else last = found;
  }
  while (last < beyond) {
    const middle = Math.floor((last + beyond) / 2);
    const found = await after(middle);
    if (found === undefined) beyond = middle;
    else last = found;
  }
  return { oldest, newest: last };
}
