import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import type { Column } from './column.ts';
import type { Selection } from './selection.ts';

interface RowProps<Item> {
  item: Item;
  index: number;
  /** Where it is drawn, in pixels below the first one. */
  top: number;
  columns: readonly Column<Item>[];
  name: string;
  /** Whether Tab leads to it. */
  isCurrent: boolean;
  selection: Selection | undefined;
  onCurrent(): void;
}

/** Which columns show on a phone: the first four, in two lines. */
const isShort = (at: number) => at < 4;
const shape = <Item,>({ isNumber }: Column<Item>, at: number) =>
  [isNumber && 'number', !isShort(at) && 'wide'].filter(Boolean).join(' ') || undefined;

export function Row<Item extends { id: number }>(props: RowProps<Item>) {
  const { item, index, top, columns, name, isCurrent, selection, onCurrent } = props;
  const row = useRef<HTMLDivElement>(null);
  const cells = useMemo(
    () =>
      columns.map((column, at) => (
        <div key={column.name} role={at === 0 ? 'rowheader' : 'gridcell'} class={shape(column, at)}>
          {column.show(item)}
        </div>
      )),
    [item, columns],
  );
  const isSelected = selection?.ids.has(item.id) ?? false;
  useLayoutEffect(() => {
    // Tab goes through one row; the arrow keys lead to the others.
    for (const control of row.current?.querySelectorAll<HTMLElement>('a, button, input') ?? [])
      control.tabIndex = isCurrent ? 0 : -1;
  }, [isCurrent, cells]);
  return (
    <div
      ref={row}
      role="row"
      data-row={item.id}
      aria-rowindex={index + 2}
      aria-selected={selection ? isSelected : undefined}
      tabIndex={isCurrent ? 0 : -1}
      style={{ transform: `translateY(${top}px)` }}
      onFocusIn={onCurrent}
      onClick={(event) => {
        const { target } = event;
        if (!selection || !(target instanceof HTMLElement) || target.closest('a, button, input')) return;
        if (event.shiftKey || event.ctrlKey || event.metaKey) selection.toggle(item.id, event.shiftKey);
      }}
    >
      {selection && (
        <div role="gridcell" class="select">
          <input
            type="checkbox"
            aria-label={t.table.select(name)}
            checked={isSelected}
            onClick={(event) => selection.toggle(item.id, event.shiftKey)}
          />
        </div>
      )}
      {cells}
    </div>
  );
}

interface PendingRowProps<Item> {
  columns: readonly Column<Item>[];
  top: number;
  hasBox: boolean;
}

/** Holds the place of a row that is on its way. */
export const PendingRow = <Item,>({ columns, top, hasBox }: PendingRowProps<Item>) => (
  <div role="presentation" aria-hidden="true" style={{ transform: `translateY(${top}px)` }}>
    {hasBox && <div class="select" />}
    {columns.map((column, at) => (
      <div key={column.name} class={shape(column, at)}>
        <span class="skeleton">&nbsp;</span>
      </div>
    ))}
  </div>
);
