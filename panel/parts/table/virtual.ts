import type { Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useState } from 'preact/hooks';

type Core = typeof import('@tanstack/virtual-core');

/** Once it is loaded: beside the rows, which it takes no longer than. */
let loaded: Core | undefined;

function useCore(): Core | undefined {
  const [core, setCore] = useState(loaded);
  useEffect(() => {
    if (loaded) return;
    void import('@tanstack/virtual-core').then((module) => {
      loaded = module;
      setCore(module);
    });
  }, []);
  return core;
}

interface Given {
  box: RefObject<HTMLElement | null>;
  count: number;
  rowPx: number;
  /** The height of what stays above the rows. */
  headPx: number;
  /** A row that is drawn wherever it is: the one with the focus. */
  kept: number | undefined;
}

interface Drawn {
  /** Rows that are drawn, with their places in pixels. */
  drawn: readonly { index: number; start: number }[];
  heightPx: number;
  /** The rows that are seen. */
  first: number;
  last: number;
  /** Whether it is known which are seen. */
  isReady: boolean;
  /** Shows a row, at the top where it was not seen before. */
  scrollTo(row: number, align?: 'start' | 'auto'): void;
}

/** How many rows above and below those that are seen are drawn. */
const overscan = 12;
/** How many are drawn before it is known how many are seen. */
const drawnAtFirst = 24;

/** Says which rows of a box that scrolls are drawn, and where. */
export function useVirtual({ box, count, rowPx, headPx, kept }: Given): Drawn {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0);
  const core = useCore();
  const virtual = useMemo(() => {
    if (!core) return undefined;
    const { observeElementOffset, observeElementRect, elementScroll } = core;
    const fixed = { observeElementOffset, observeElementRect, scrollToFn: elementScroll };
    const rest = { count: 0, getScrollElement: () => box.current, estimateSize: () => 0 };
    return { of: new core.Virtualizer<HTMLElement, HTMLElement>({ ...fixed, ...rest }), fixed };
  }, [core]);
  virtual?.of.setOptions({
    ...virtual.fixed,
    count,
    overscan,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    scrollPaddingEnd: headPx,
    rangeExtractor: ({ startIndex, endIndex }) => {
      const first = Math.max(0, startIndex - overscan);
      const last = Math.min(count - 1, endIndex + overscan);
      const rows = Array.from({ length: last - first + 1 }, (_, at) => first + at);
      return kept === undefined || (kept >= first && kept <= last) ? rows : [kept, ...rows].sort((a, b) => a - b);
    },
    onChange: () => redraw(undefined),
  });
  useLayoutEffect(() => virtual?.of._didMount(), [virtual]);
  useLayoutEffect(() => virtual?.of._willUpdate());
  useLayoutEffect(() => virtual?.of.measure(), [virtual, rowPx]);
  return shown(virtual?.of, count, rowPx);
}

function shown(virtual: Virtualizer<HTMLElement, HTMLElement> | undefined, count: number, rowPx: number): Drawn {
  const heightPx = count * rowPx;
  if (!virtual?.range) {
    const drawn = Array.from({ length: Math.min(count, drawnAtFirst) }, (_, index) => ({
      index,
      start: index * rowPx,
    }));
    return { drawn, heightPx, first: 0, last: 0, isReady: false, scrollTo: () => undefined };
  }
  const { startIndex: first, endIndex: last } = virtual.range;
  const scrollTo: Drawn['scrollTo'] = (row, align = 'auto') => virtual.scrollToIndex(row, { align });
  return { drawn: virtual.getVirtualItems(), heightPx, first, last, isReady: true, scrollTo };
}
