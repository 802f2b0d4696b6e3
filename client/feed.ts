import { ApiError } from './api-error.ts';
import type { Call } from './call.ts';
import { wait } from './retries.ts';
import type { components } from './schema.ts';

export type AnyEvent = components['schemas']['AnyEvent'];
export type EventKind = components['schemas']['EventKind'];

/** Where the last event that was worked off stands, kept across restarts. */
export interface Position {
  load(): Promise<number | undefined>;
  save(sequence: number): Promise<void>;
}

export interface FeedOptions {
  /** After the event of this `sequence`; unless said, from the position, or else from the oldest that is kept (30 days). */
  since?: number;
  position?: Position;
  eventKind?: EventKind;
  /** Between two looks where nothing was new; 2,000 unless said. */
  pollMs?: number;
  signal?: AbortSignal;
}

export type Feed = (options?: FeedOptions) => AsyncGenerator<AnyEvent, void>;

/** After a look that failed. */
const restMs = 10_000;
const pageSize = 100;

/**
 * An event's sequence is saved when the next one is asked for, so that one whose work has failed comes again. Goes on while the API is
 * out of reach; raises what will not pass: a refused key, or `cursor_expired` where the position is older than the feed.
 */
export const feedOf = (get: Call<'get'>): Feed =>
  async function* ({ since, position, eventKind, pollMs = 2000, signal } = {}) {
    let reached = since ?? (await position?.load());
    const reach = async (sequence: number | null) => {
      if (sequence === null || sequence === reached) return;
      reached = sequence;
      await position?.save(sequence);
    };
    for (;;) {
      const query = {
        limit: pageSize,
        ...(reached !== undefined && { since: reached }),
        ...(eventKind !== undefined && { eventKind }),
      };
      const page = await get('/v1/events', { params: { query }, ...(signal && { signal }) }).catch((error: unknown) => {
        signal?.throwIfAborted();
        if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
        return wait(restMs, signal);
      });
      if (!page) continue;
      for (const event of page.items) {
        yield event;
        await reach(event.sequence);
      }
      // Beyond the last of its events where only one kind was asked for.
      await reach(page.nextCursor);
      if (!page.hasMore) await wait(pollMs, signal);
    }
  };
