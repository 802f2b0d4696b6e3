import { effect } from '@preact/signals';
import { type AnyEvent, ApiError } from '../../client/index.ts';
import { keptEvents } from '../../client/kept-events.ts';
import { api } from './api.ts';
import { current, environment, may, workspaceId } from './session.ts';
import { keep, readKept } from './storage.ts';
import { complain } from './toasts.ts';

export type { AnyEvent };

type Listener = (events: readonly AnyEvent[]) => void;

const everyMs = 2000;
/** After a look that failed. */
const restMs = 10_000;

const listeners = new Set<Listener>();

/** Calls back with what has happened in the workspace since; returns how to stop. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether an event is of one of these nouns: `touching('contact', 'message')`. */
export const touching =
  (...nouns: string[]) =>
  ({ event }: AnyEvent): boolean =>
    nouns.some((noun) => event.startsWith(`${noun}.`));

/** Looks for new events every two seconds while somebody is signed in and sees the page. */
export function followEvents(): void {
  effect(() => {
    const [env, workspace] = [environment.value, workspaceId.value];
    if (current.value === undefined || !may('webhooks:read')) return;
    const stop = new AbortController();
    follow(`position.${env}.${workspace ?? 'first'}`, stop.signal).catch(complain);
    return () => stop.abort();
  });
}

async function follow(name: string, signal: AbortSignal): Promise<void> {
  let since = readKept<number>(name);
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      if (!document.hidden) {
        since ??= (await keptEvents(api.get))?.newest ?? 0;
        const page = await api.get('/v1/events', { signal, params: { query: { since, limit: 100 } } });
        if (signal.aborted) return;
        since = page.nextCursor ?? since;
        keep(name, since);
        if (page.items.length > 0) for (const listener of listeners) listener(page.items);
        if (page.hasMore) waitMs = 0;
      }
    } catch (error) {
      // What is older than the feed is passed over.
      if (error instanceof ApiError && error.reason === 'cursor_expired') since = undefined;
      waitMs = restMs;
    }
    await until(waitMs, signal);
  }
}

/** Waits, but no longer than until the page is seen again. */
function until(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', go);
      signal.removeEventListener('abort', go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    document.addEventListener('visibilitychange', go);
    signal.addEventListener('abort', go);
  });
}
