import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';

const shownAtFirst = 50;

interface SectionProps<Item> {
  /** In ids of the page. */
  name: string;
  title: string;
  items: readonly Item[];
  /** There are more than these. */
  hasMore?: boolean;
  isClosed?: boolean;
  children(item: Item): ComponentChildren;
}

/** A part of the list under its name and number, which folds. */
export function Section<Item>({ name, title, items, hasMore = false, isClosed = false, children }: SectionProps<Item>) {
  const [isWhole, setWhole] = useState(false);
  if (items.length === 0) return null;
  const shown = isWhole ? items : items.slice(0, shownAtFirst);
  const number = count(items.length);
  return (
    <details class="fold" open={!isClosed}>
      <summary>
        <h2 id={`tasks-${name}`}>
          {title} <span class="muted">{hasMore ? t.tasks.atLeast(number) : number}</span>
        </h2>
      </summary>
      <ul class="tasks card" aria-labelledby={`tasks-${name}`}>
        {shown.map(children)}
      </ul>
      {shown.length < items.length && (
        <button type="button" onClick={() => setWhole(true)}>
          {t.tasks.showMore(count(items.length - shown.length))}
        </button>
      )}
    </details>
  );
}
