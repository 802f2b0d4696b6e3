import type { ComponentChildren } from 'preact';
import type { Loaded } from '../app/load.ts';
import { place, withQuery } from '../app/route.ts';
import { t } from '../app/texts.ts';
import { Failure } from './failure.tsx';

export interface Column<Item> {
  title: string;
  show(item: Item): ComponentChildren;
  isNumber?: boolean;
  /** Its title is for screen readers only: what it holds speaks for itself. */
  isHidden?: boolean;
  /** Left out where there is little room. */
  isWide?: boolean;
}

interface PageOf<Item> {
  items: readonly Item[];
  hasMore: boolean;
  nextCursor: number | string | null;
}

interface PagedProps<Item> {
  /** What the table is of: `Contacts`. */
  caption: string;
  of: Loaded<PageOf<Item>>;
  columns: readonly Column<Item>[];
  keyOf(item: Item): string | number;
  empty: ComponentChildren;
  skeletonRows?: number;
}

/** One page of a list as a table, with links to the next and the first; its cursor stands in the address. */
export function Paged<Item>({ caption, of, columns, keyOf, empty, skeletonRows = 8 }: PagedProps<Item>) {
  const { data, error, isLoading, reload } = of;
  if (error !== undefined && data === undefined) return <Failure error={error} again={reload} />;
  const isFirst = !place.value.query.has('after');
  if (data?.items.length === 0 && isFirst && !data.hasMore) return empty;
  const shape = ({ isNumber, isWide, isHidden }: Column<Item>) =>
    [(isNumber || isHidden) && 'number', isWide && 'wide'].filter(Boolean).join(' ');
  return (
    <>
      <section class="scroller" aria-label={caption} aria-busy={isLoading}>
        <table>
          <caption class="hidden">{caption}</caption>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.title} scope="col" class={shape(column)}>
                  {column.isHidden ? <span class="hidden">{column.title}</span> : column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data
              ? data.items.map((item) => (
                  <tr key={keyOf(item)}>
                    {columns.map((column) => (
                      <td key={column.title} class={shape(column)}>
                        {column.show(item)}
                      </td>
                    ))}
                  </tr>
                ))
              : Array.from({ length: skeletonRows }, (_, row) => (
                  <tr key={`pending-${row}`}>
                    {columns.map((column) => (
                      <td key={column.title} class={shape(column)}>
                        <span class="skeleton">&nbsp;</span>
                      </td>
                    ))}
                  </tr>
                ))}
          </tbody>
        </table>
      </section>
      {data && (!isFirst || data.hasMore) && (
        <nav class="pager" aria-label={t.parts.pagesOf(caption)}>
          {!isFirst && <a href={withQuery({})}>{t.common.firstPage}</a>}
          {data.hasMore && <a href={withQuery({ after: data.nextCursor })}>{t.common.nextPage}</a>}
        </nav>
      )}
    </>
  );
}

/** The cursor in the address, as a list's `after` takes it. */
export const cursor = (): number | undefined => Number(place.value.query.get('after')) || undefined;
