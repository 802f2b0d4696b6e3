import type { AnyEvent, CrmClient } from '../client/index.ts';
import { keptEvents } from '../client/kept-events.ts';
import { UsageError } from './verb.ts';

const pageSize = 100;

/** An event by its sequence or its id, the newest looked at first; undefined where it is not kept. */
export async function findEvent(crm: CrmClient, given: string): Promise<AnyEvent | undefined> {
  const page = async (since: number, limit: number) =>
    (await crm.get('/v1/events', { params: { query: { since, limit } } })).items;
  const kept = await keptEvents(crm.get);
  if (kept === undefined) return undefined;
  if (/^\d{1,15}$/.test(given)) {
    const sequence = Number(given);
    if (sequence < kept.oldest || sequence > kept.newest) return undefined;
    return (await page(sequence - 1, 1)).find((event) => event.sequence === sequence);
  }
  // A page may end early where its events are large: the rest of its hundred is asked for again.
  for (let below = kept.newest + 1; below > kept.oldest; below -= pageSize) {
    const first = Math.max(kept.oldest, below - pageSize);
    for (let since = first - 1; since < below - 1; ) {
      const events = await page(since, below - 1 - since);
      const found = events.find(({ id }) => id === given);
      if (found) return found;
      since = events.at(-1)?.sequence ?? below;
    }
  }
  return undefined;
}

/** Whether an event kind is one of those that are wanted. */
export type Wanted = (kind: string) => boolean;

/**
 * Returns the filter for kinds such as `contact.created`, `contact.*`, and `*`, separated by commas. Raises UsageError for an unknown
 * kind.
 */
export async function wantedKinds(crm: CrmClient, given: string | undefined): Promise<Wanted> {
  if (given === undefined) return () => true;
  const patterns = given.split(',').map((pattern) => pattern.trim());
  await checkPatterns(crm, patterns);
  return (kind) => patterns.some((pattern) => fits(pattern, kind));
}

export async function checkPatterns(crm: CrmClient, patterns: readonly string[]): Promise<void> {
  if (patterns.length === 0) return;
  const { items } = await crm.get('/v1/webhooks/event-kinds');
  const kinds = items.map(({ kind }) => kind);
  const unknown = patterns.find((pattern) => !kinds.some((kind) => fits(pattern, kind)));
  if (unknown !== undefined)
    throw new UsageError(
      `"${unknown}" is not an event kind; the kinds are ${kinds.join(', ')}, and whole nouns (contact.*)`,
    );
}

export const fits = (pattern: string, kind: string) =>
  pattern === '*' || pattern === kind || (pattern.endsWith('.*') && kind.startsWith(pattern.slice(0, -1)));

/** A time of day, a kind, an id: how every verb shows an event in a line. */
export const eventLine = ({ event, id, sequence }: Pick<AnyEvent, 'event' | 'id' | 'sequence'>) =>
  `${event.padEnd(24)} ${id}${sequence === null ? '' : ` #${sequence}`}`;
