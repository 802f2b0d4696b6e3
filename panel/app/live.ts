import { computed, effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnyEvent, ApiError } from '../../client/index.ts';
import { api } from './api.ts';
import { preferences } from './locale.ts';
import { current, environment, may, workspaceId } from './session.ts';
import { keep, readKept } from './storage.ts';
import { complain } from './toasts.ts';

export type { AnyEvent };

type Listener = (events: readonly AnyEvent[]) => void;

const everyMs = 2000;
/** After a look that failed, and once nobody has touched the page for a minute. */
const restMs = 10_000;
/** Once nobody has touched it for ten minutes. */
const idleMs = 30_000;

const minuteMs = 60_000;
let touchedAt = performance.now();

/** How long to wait until the next look: somebody who works sees what others do at once, an empty chair costs little. */
function paceMs(): number {
  const untouchedMs = performance.now() - touchedAt;
  if (untouchedMs < minuteMs) return everyMs;
  return untouchedMs < 10 * minuteMs ? restMs : idleMs;
}

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

/** Whether an event is of one of these nouns and of a contact, or says of none. */
export const touchingContact = (id: number, ...nouns: string[]) => {
  const isOfNoun = touching(...nouns);
  return (event: AnyEvent): boolean => {
    const { contact_id: of } = (event.data ?? {}) as { contact_id?: unknown };
    return isOfNoun(event) && (of === undefined || String(of) === String(id));
  };
};

/** Where the position in the feed is kept; undefined for whoever may not read it. */
const positionName = computed(() =>
  current.value && may('webhooks:read') ? `position.${environment.value}.${workspaceId.value ?? 'first'}` : undefined,
);

/** Whether the feed is read now: while the page is seen, or for notifications. */
const isLooking = () => !document.hidden || preferences.value.notifies === true;

/** Looks for new events while somebody is signed in and sees the page. */
export function followEvents(): void {
  for (const kind of ['keydown', 'pointerdown', 'pointermove', 'wheel'])
    addEventListener(kind, () => touch(paceMs() > everyMs), { capture: true, passive: true });
  for (const kind of ['focus', 'visibilitychange']) addEventListener(kind, () => touch(true));
  effect(() => {
    const name = positionName.value;
    if (name === undefined) return;
    const stop = new AbortController();
    follow(name, stop.signal).catch(complain);
    return () => stop.abort();
  });
}

/** Ends the wait for the next look. */
let wake: (() => void) | undefined;

function touch(wakes: boolean): void {
  touchedAt = performance.now();
  if (wakes) wake?.();
}

/** Follows the feed from where this tab has read it, else from its end. */
async function follow(name: string, signal: AbortSignal): Promise<void> {
  let since: number | 'latest' = readKept<number>(name) ?? 'latest';
  while (!signal.aborted) {
    let waitMs = paceMs();
    try {
      if (isLooking()) {
        const page = await api.get('/v1/events', { signal, params: { query: { since, limit: 100 } } });
        if (signal.aborted) return;
        since = page.nextCursor ?? since;
        if (since !== 'latest') keep(name, since);
        if (page.items.length > 0) for (const listener of listeners) listener(page.items);
        if (page.hasMore) waitMs = 0;
      }
    } catch (error) {
      // A position that is no longer kept, or of another feed.
      if (error instanceof ApiError && [400, 409].includes(error.status)) since = 'latest';
      waitMs = Math.max(restMs, waitMs);
    }
    await until(waitMs, signal);
  }
}

/** Waits, but no longer than until somebody is back at the page. */
function until(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      wake = undefined;
      signal.removeEventListener('abort', go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    wake = go;
    signal.addEventListener('abort', go);
  });
}

const tick = 500;

/**
 * Reloads what no event tells of when it is due: `dueAt` in epoch milliseconds, as often as the pace allows. Undefined where nothing
 * is expected.
 */
export function useDue(reload: () => void, dueAt: number | undefined): void {
  useEffect(() => {
    if (dueAt === undefined) return;
    let waitedMs = 0;
    const timer = setInterval(() => {
      waitedMs += tick;
      if (document.hidden || Date.now() < dueAt || waitedMs < paceMs()) return;
      waitedMs = 0;
      reload();
    }, tick);
    return () => clearInterval(timer);
  }, [dueAt]);
}
