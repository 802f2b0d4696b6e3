import { useEffect, useRef, useState } from 'preact/hooks';
import type { Areas } from '../texts/type.ts';
import { type AnyEvent, onEvents } from './live.ts';
import { isOfOwnChange } from './own-changes.ts';

/** How the file is loaded that has what parts of several pages need, with texts of an area: the shell knows it. */
export const files: { work?: (area?: keyof Areas) => Promise<unknown> } = {};

export interface Loaded<Data> {
  /** Undefined until it is there; while it is asked for again, what was there before. */
  data: Data | undefined;
  error: unknown;
  isLoading: boolean;
  reload(): void;
  /**
   * Shows something else until it is asked for again: a change that the API has yet to confirm. An answer that is on its way does not
   * know of it and is dropped.
   */
  change(to: (data: Data) => Data): void;
}

interface State<Data> {
  data?: Data;
  error?: unknown;
  isLoading: boolean;
}

/** What a page shows: asked for when it opens, when one of `given` changes, and after an event that touches it. */
export function useLoaded<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  given: readonly unknown[],
  isTouchedBy?: (event: AnyEvent) => boolean,
): Loaded<Data> {
  const [state, setState] = useState<State<Data>>({ isLoading: true });
  const [turn, setTurn] = useState(0);
  const touched = useRef(isTouchedBy);
  touched.current = isTouchedBy;
  const asking = useRef<AbortController | undefined>(undefined);
  const askedAt = useRef(0);
  /** Something has happened since it was asked for. */
  const isStale = useRef(false);
  const reload = () => setTurn((before) => before + 1);
  useEffect(() => {
    const stop = new AbortController();
    asking.current = stop;
    askedAt.current = performance.now();
    isStale.current = false;
    setState((before) => ({ ...before, isLoading: true }));
    const answer = (to: (before: State<Data>) => State<Data>) => {
      if (stop.signal.aborted) return;
      asking.current = undefined;
      setState(to);
      if (isStale.current) reload();
    };
    load(stop.signal).then(
      (data) => answer(() => ({ data, isLoading: false })),
      (error: unknown) => answer((before) => ({ ...before, error, isLoading: false })),
    );
    return () => stop.abort();
  }, [...given, turn]);
  useEffect(
    () =>
      onEvents((events) => {
        const isNews = (event: AnyEvent) => touched.current?.(event) && !isOfOwnChange(event, askedAt.current);
        if (!events.some(isNews)) return;
        // An answer that is on its way comes first: where much happens and answers are slow, none would ever be shown.
        if (asking.current) isStale.current = true;
        else reload();
      }),
    [],
  );
  return {
    data: state.data,
    error: state.error,
    isLoading: state.isLoading,
    reload,
    change: (to) => {
      if (state.data !== undefined) {
        asking.current?.abort();
        asking.current = undefined;
      }
      setState((before) => (before.data === undefined ? before : { data: to(before.data), isLoading: false }));
    },
  };
}
