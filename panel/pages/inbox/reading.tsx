import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';

/** As near to the end somebody follows what comes. */
const nearPx = 80;

interface ReadingProps {
  label: string;
  /** The ids of what is shown, in its order. */
  ids: readonly number[] | undefined;
  /** Whether the last one is our own, which is shown at once. */
  isLastOurs: boolean;
  children: ComponentChildren;
}

/** What is read from top to bottom: it follows what comes while its end is seen, and else keeps its place and counts what came. */
export function Reading({ label, ids, isLastOurs, children }: ReadingProps) {
  const log = useRef<HTMLDivElement>(null);
  const before = useRef<{ first: number | undefined; last: number | undefined; heightPx: number; isAtEnd: boolean }>({
    first: undefined,
    last: undefined,
    heightPx: 0,
    isAtEnd: true,
  });
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
