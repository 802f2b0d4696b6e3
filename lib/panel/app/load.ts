import { useEffect, useRef, useState } from 'preact/hooks';
import { type AnyEvent, onEvents } from './live.ts';

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
  const reload = () => setTurn((before) => before + 1);
  useEffect(() => {
    const stop = new AbortController();
    asking.current = stop;
    setState((before) => ({ ...before, isLoading: true }));
    load(stop.signal).then(
      (data) => stop.signal.aborted || setState({ data, isLoading: false }),
      (error: unknown) => stop.signal.aborted || setState((before) => ({ ...before, error, isLoading: false })),
    );
    return () => stop.abort();
  }, [...given, turn]);
  useEffect(
    () =>
      onEvents((events) => {
        if (events.some((event) => touched.current?.(event))) reload();
      }),
    [],
  );
  return {
    data: state.data,
    error: state.error,
    isLoading: state.isLoading,
    reload,
    change: (to) => {
      if (state.data !== undefined) asking.current?.abort();
      setState((before) => (before.data === undefined ? before : { data: to(before.data), isLoading: false }));
    },
  };
}
