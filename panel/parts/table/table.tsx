import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Forms } from '../../app/locale.ts';
import { go } from '../../app/route.ts';
import { counted, count as written } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Failure } from '../failure.tsx';
import type { Column } from './column.ts';
import { Columns } from './columns.tsx';
import { HeadRow } from './head-row.tsx';
import type { Sort } from './question.ts';
import { PendingRow, Row } from './row.tsx';
import type { Rows } from './rows.ts';
import { type Selection, useSelection } from './selection.ts';
import { useVirtual } from './virtual.ts';

interface TableProps<Item> {
  /** What the table is of: `Contacts`. */
  caption: string;
  units: Forms;
  rows: Rows<Item>;
  /** Every column that it can show; the first one is always shown. */
  all: readonly Column<Item>[];
  columns: readonly Column<Item>[];
  /** Undefined shows the usual ones. */
  onColumns(names: readonly string[] | undefined): void;
  sort: readonly Sort[];
  onSort(sort: readonly Sort[]): void;
  nameOf(item: Item): string;
  /** Where a row leads. */
  pathOf?(item: Item): string;
  /** Opens a row that has no place of its own. */
  onOpen?(item: Item): void;
  /** In place of rows where there are none. */
  empty: ComponentChildren;
  /** What can be done with the rows that are selected; undefined where nothing can. */
  actions?: ((selection: Selection) => ComponentChildren) | undefined;
  /** What can be done with the table. */
  tools?: ComponentChildren;
}

/** How many rows before the last one the next page is asked for. */
const ahead = 60;
const pendingRows = 12;
/** Rows that say that there are more, below those that were read. */
const moreRows = 3;

/** A table of records as long as one likes, of which those rows are drawn that are seen. */
export function Table<Item extends { id: number }>(props: TableProps<Item>) {
  const { caption, rows, columns, sort, onSort, nameOf, pathOf, onOpen, empty, actions } = props;
  const { items, hasMore, error, isLoading } = rows;
  const box = useRef<HTMLElement>(null);
  const { rowPx, headPx } = useHeights(box, items.length > 0);
  const [currentId, setCurrentId] = useState<number>();
  /** The row that gets the focus once it is drawn. */
  const wanted = useRef<number | undefined>(undefined);
  const places = useMemo(() => new Map(items.map(({ id }, at) => [id, at])), [items]);
  const current = currentId === undefined ? undefined : places.get(currentId);
  const selection = useSelection(items, rows.total);
  const isPending = isLoading && items.length === 0;
  const extra = isPending ? pendingRows : hasMore && error === undefined ? moreRows : 0;
  const { drawn, heightPx, first, last, isReady, scrollTo } = useVirtual({
    box,
    count: items.length + extra,
    rowPx,
    headPx,
    kept: current,
  });
  useEffect(() => {
    if (isReady) rows.see(first, last);
  }, [first, last, items]);
  useEffect(() => {
    if (hasMore && !isLoading && error === undefined && last >= items.length - ahead) rows.readMore();
  });
  useSteadyRows(box, items, places, rowPx, first);
  useStart(rows, drawn.length > 0 && isReady, scrollTo, () => {
    box.current?.scrollTo({ top: 0 });
    selection.clear();
  });
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const row = box.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"]`);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });
  if (error !== undefined && items.length === 0) return <Failure error={error} again={rows.reload} />;
  if (items.length === 0 && !hasMore && !isLoading) return empty;

  const goTo = (at: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, at))];
    if (!item) return;
    const place = places.get(item.id) ?? 0;
    setCurrentId(item.id);
    wanted.current = item.id;
    scrollTo(place);
    return item;
  };
  const open = (item: Item) => (pathOf ? go(pathOf(item)) : onOpen?.(item));
  const step = (by: number) => goTo(current === undefined ? first : current + by);
  const press = (event: KeyboardEvent) => {
    const { target, key } = event;
    if (event.altKey || !(target instanceof HTMLElement) || current === undefined) return;
    const item = items[current];
    const isRow = target.dataset['row'] !== undefined;
    const page = Math.max(1, last - first - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -current, End: items.length }[key];
    if (by !== undefined && !event.ctrlKey && !event.metaKey) {
      const to = step(by);
      if (event.shiftKey && actions && to && item) selection.extend(item.id, to.id);
    } else if (isRow && key === 'Enter' && item) open(item);
    else if (isRow && key === ' ' && item && actions) selection.toggle(item.id, event.shiftKey);
    else if (key === 'Escape' && selection.ids.size > 0) selection.clear();
    else return;
    event.preventDefault();
  };
  const widthRem = columns.reduce((sum, column) => sum + column.widthRem, actions ? selectRem : 0);
  const tracks = [
    ...(actions ? [`${selectRem}rem`] : []),
    ...columns.map((column) => `minmax(${column.widthRem}rem, ${column.widthRem}fr)`),
  ].join(' ');
  return (
    <>
      {selection.ids.size > 0 && actions ? actions(selection) : <Tools {...props} />}
      <section
        class="grid-box"
        ref={box}
        aria-label={caption}
        style={{ '--needed': `${heightPx + headPx + borderPx}px` }}
      >
        <div
          role="grid"
          aria-label={caption}
          aria-rowcount={rows.total === undefined ? -1 : rows.total + 1}
          aria-colcount={columns.length + (actions ? 1 : 0)}
          aria-multiselectable={actions !== undefined}
          aria-busy={isLoading}
          class="grid"
          style={{ '--tracks': tracks, '--width': `${widthRem}rem` }}
        >
          <HeadRow
            columns={columns}
            sort={sort}
            onSort={onSort}
            selection={actions && selection}
            onColumns={props.onColumns}
          />
          <div role="rowgroup" style={{ height: `${heightPx}px` }} onKeyDown={press}>
            {drawn.map(({ index, start }) => {
              const item = items[index];
              if (!item)
                return <PendingRow key={`pending-${index}`} columns={columns} top={start} hasBox={!!actions} />;
              return (
                <Row
                  key={item.id}
                  item={item}
                  index={index}
                  top={start}
                  columns={columns}
                  name={nameOf(item)}
                  isCurrent={current === undefined ? index === first : current === index}
                  selection={actions && selection}
                  onCurrent={() => setCurrentId(item.id)}
                />
              );
            })}
          </div>
        </div>
      </section>
      {error !== undefined && <Failure error={error} again={rows.reload} />}
      {/* What the keys of the panel click. */}
      <div hidden>
        <button type="button" data-key="j" onClick={() => step(1)} />
        <button type="button" data-key="k" onClick={() => step(-1)} />
        {actions && (
          <button
            type="button"
            data-key="x"
            onClick={() => current !== undefined && selection.toggle(items[current]?.id ?? 0, false)}
          />
        )}
      </div>
    </>
  );
}

const selectRem = 2.5;
const borderPx = 3;

/** How many rows there are, and what can be done with the table. */
function Tools<Item>({ caption, units, rows, all, columns, onColumns, sort, onSort, tools }: TableProps<Item>) {
  const [isOpen, setOpen] = useState(false);
  const { total, items, hasMore } = rows;
  return (
    <div class="grid-tools">
      <p role="status" class="hint">
        {total === undefined ? hasMore && t.table.atLeast(written(items.length), units.other) : counted(total, units)}
      </p>
      <div class="actions">
        <button type="button" class="small" onClick={() => setOpen(true)}>
          {t.table.columns}
        </button>
        {tools}
      </div>
      {isOpen && (
        <Columns
          title={t.table.columnsOf(caption)}
          all={all}
          columns={columns}
          onColumns={onColumns}
          sort={sort}
          onSort={onSort}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

/** Begins where the table was left, and at the top with other rows. */
function useStart<Item>(
  rows: Rows<Item>,
  isDrawn: boolean,
  scrollTo: (row: number, align: 'start') => void,
  begin: () => void,
): void {
  const start = useRef<{ turn: number; row: number }>({ turn: rows.turn, row: rows.first });
  useLayoutEffect(() => {
    const { turn, row } = start.current;
    if (turn !== rows.turn) {
      start.current = { turn: rows.turn, row: 0 };
      begin();
    } else if (isDrawn && row > 0) {
      start.current = { turn, row: 0 };
      scrollTo(row, 'start');
    }
  }, [rows.turn, isDrawn]);
}

/** The heights of a row and of the head, which follow the size of the text and the width of the window. */
function useHeights(box: { current: HTMLElement | null }, hasRows: boolean): { rowPx: number; headPx: number } {
  const [heights, setHeights] = useState({ rowPx: 44, headPx: 40 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const rowPx = element.querySelector<HTMLElement>('[role=rowgroup] + [role=rowgroup] > div')?.offsetHeight;
      const headPx = element.querySelector<HTMLElement>('[role=rowgroup]')?.offsetHeight ?? 0;
      if (rowPx)
        setHeights((before) => (before.rowPx === rowPx && before.headPx === headPx ? before : { rowPx, headPx }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [hasRows]);
  return heights;
}

/** Keeps the first row that is seen where it is when rows before it come or go; at the top, new rows show. */
function useSteadyRows(
  box: { current: HTMLElement | null },
  items: readonly { id: number }[],
  places: ReadonlyMap<number, number>,
  rowPx: number,
  first: number,
): void {
  const anchor = useRef<{ id: number; at: number; of: readonly { id: number }[] } | undefined>(undefined);
  useLayoutEffect(() => {
    const element = box.current;
    const before = anchor.current;
    const at = before && places.get(before.id);
    if (element && before && before.of !== items && at !== undefined && at !== before.at && element.scrollTop > 0) {
      element.scrollTop += (at - before.at) * rowPx;
      anchor.current = { id: before.id, at, of: items };
      return;
    }
    const item = items[first];
    anchor.current = item && { id: item.id, at: first, of: items };
  }, [items, first, rowPx]);
}
