import { useState } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import type { Column } from './column.ts';
import type { Sort } from './question.ts';
import type { Selection } from './selection.ts';

interface HeadRowProps<Item> {
  columns: readonly Column<Item>[];
  sort: readonly Sort[];
  onSort(sort: readonly Sort[]): void;
  onColumns(names: readonly string[]): void;
  selection: Selection | undefined;
}

const arrows = { asc: '↑', desc: '↓' };
const orders = { asc: 'ascending', desc: 'descending' } as const;

/** Returns the order after a click on a column: by it, the other way round, and then by none. */
const nextSort = (sort: readonly Sort[], field: string): readonly Sort[] => {
  const [now] = sort;
  if (now?.field !== field) return [{ field, direction: 'asc' }];
  return now.direction === 'asc' ? [{ field, direction: 'desc' }] : [];
};

/** The names of the columns: a click sorts, a drag moves. */
export function HeadRow<Item>({ columns, sort, onSort, onColumns, selection }: HeadRowProps<Item>) {
  const [dragged, setDragged] = useState<string>();
  const [over, setOver] = useState<string>();
  const end = () => {
    setDragged(undefined);
    setOver(undefined);
  };
  const drop = (on: string) => {
    if (dragged === undefined || dragged === on) return;
    const names = columns.map(({ name }) => name);
    const [from, to] = [names.indexOf(dragged), names.indexOf(on)];
    onColumns(names.toSpliced(from, 1).toSpliced(to, 0, dragged));
  };
  const isAny = selection !== undefined && selection.ids.size > 0;
  return (
    <div role="rowgroup">
      <div role="row" aria-rowindex={1}>
        {selection && (
          <div role="columnheader" class="select">
            <input
              type="checkbox"
              aria-label={t.table.selectRead}
              checked={isAny}
              ref={(box) => {
                if (box) box.indeterminate = isAny && selection.ids.size !== selection.total;
              }}
              onClick={() => (isAny ? selection.clear() : selection.selectRead())}
            />
          </div>
        )}
        {columns.map((column, at) => {
          const { name, title, isNumber, isSortable = true } = column;
          const order = sort.find(({ field }) => field === name)?.direction;
          return (
            <div
              key={name}
              role="columnheader"
              aria-sort={order && orders[order]}
              class={[isNumber && 'number', over === name && 'over'].filter(Boolean).join(' ') || undefined}
              draggable={at > 0}
              onDragStart={(event) => {
                event.dataTransfer?.setData('text/plain', title);
                setDragged(name);
              }}
              onDragOver={(event) => {
                if (dragged === undefined || at === 0) return;
                event.preventDefault();
                setOver(name);
              }}
              onDrop={(event) => {
                event.preventDefault();
                drop(name);
                end();
              }}
              onDragEnd={end}
            >
              {isSortable ? (
                <button type="button" class="quiet" onClick={() => onSort(nextSort(sort, name))}>
                  {title}
                  {order && <span aria-hidden="true"> {arrows[order]}</span>}
                </button>
              ) : (
                title
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
