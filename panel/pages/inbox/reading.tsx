import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';

/** As near to the end somebody follows what comes. */
const nearPx = 80;

/** What was shown last, and whether its end was seen. */
interface Place {
  current: { first: number | undefined; last: number | undefined; heightPx: number; isAtEnd: boolean };
}

/** Returns the place of somebody who reads, for what is loaded and for what shows it. */
export const usePlace = (): Place => useRef({ first: undefined, last: undefined, heightPx: 0, isAtEnd: true });

interface PageOf<Item> {
  items: readonly Item[];
  hasMore: boolean;
  nextCursor: number | null;
}

/** More than are wanted, as some have come since. */
const cameSince = 10;

/** Returns the newest ones in the order in which they came. Nothing that is shown is left out while its end is not seen. */
export async function newest<Item extends { id: number }>(
  ask: (query: { limit: number; after: number | undefined }) => Promise<PageOf<Item>>,
  count: number,
  place: Place,
): Promise<{ items: Item[]; hasMore: boolean }> {
  const found: Item[] = [];
  let after: number | undefined;
  for (;;) {
    const missing = Math.max(0, count - found.length);
    const page = await ask({ limit: Math.min(100, place.current.isAtEnd ? missing : missing + cameSince), after });
    found.push(...page.items);
    after = page.nextCursor ?? undefined;
    const oldest = place.current.isAtEnd ? undefined : place.current.first;
    const wanted = Math.max(count, found.filter(({ id }) => oldest !== undefined && id >= oldest).length);
    const isWhole = found.length >= count && (oldest === undefined || found.some(({ id }) => id <= oldest));
    if (!page.hasMore || isWhole)
      return { items: found.slice(0, wanted).reverse(), hasMore: page.hasMore || found.length > wanted };
  }
}

interface ReadingProps {
  label: string;
  place: Place;
  /** The ids of what is shown, in its order. */
  ids: readonly number[] | undefined;
  /** Whether the last one is our own, which is shown at once. */
  isLastOurs: boolean;
  children: ComponentChildren;
}

/** What is read from top to bottom: it follows what comes while its end is seen, and else keeps its place and counts what came. */
export function Reading({ label, place: before, ids, isLastOurs, children }: ReadingProps) {
  const log = useRef<HTMLDivElement>(null);
  const [fresh, setFresh] = useState(0);
  const toEnd = () => {
    log.current?.scrollTo({ top: log.current.scrollHeight });
    before.current.isAtEnd = true;
    setFresh(0);
  };
  const settle = () => {
    const element = log.current;
    if (!element || !ids) return;
    const { first, last, heightPx, isAtEnd } = before.current;
    const isFirstTime = last === undefined;
    const came = ids.filter((id) => last !== undefined && id > last).length;
    if (first !== undefined && ids[0] !== undefined && ids[0] < first)
      element.scrollTop += element.scrollHeight - heightPx;
    else if (isFirstTime || isAtEnd || (came > 0 && isLastOurs)) toEnd();
    else if (came > 0) setFresh((some) => some + came);
    const isEmpty = ids.length === 0;
    before.current = {
      first: ids[0],
      last: isEmpty ? undefined : Math.max(...ids),
      heightPx: element.scrollHeight,
      isAtEnd: before.current.isAtEnd,
    };
  };
  useLayoutEffect(settle);
  // A text that grows takes height from what is read.
  useEffect(() => {
    const lower = new ResizeObserver(() => before.current.isAtEnd && toEnd());
    if (log.current) lower.observe(log.current);
    return () => lower.disconnect();
  }, []);
  return (
    <div class="reading">
      <div
        class="messages"
        role="log"
        aria-label={label}
        ref={log}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard
        tabIndex={0}
        onLoadCapture={settle}
        onScroll={({ currentTarget }) => {
          const { scrollHeight, scrollTop, clientHeight } = currentTarget;
          before.current.isAtEnd = scrollHeight - scrollTop - clientHeight < nearPx;
          if (before.current.isAtEnd) setFresh(0);
        }}
      >
        {children}
      </div>
      {fresh > 0 && (
        <button type="button" class="small primary fresh" onClick={toEnd}>
          {t.inbox.newOnes(count(fresh))}
        </button>
      )}
    </div>
  );
}
