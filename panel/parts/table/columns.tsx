import { useState } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { Dialog } from '../dialog.tsx';
import { Field, Form } from '../form.tsx';
import { Ordered } from '../ordered.tsx';
import { UserText } from '../user-text.tsx';
import type { Column } from './column.ts';
import type { Sort } from './question.ts';

interface ColumnsProps<Item> {
  title: string;
  all: readonly Column<Item>[];
  columns: readonly Column<Item>[];
  onColumns(names: readonly string[] | undefined): void;
  sort: readonly Sort[];
  onSort(sort: readonly Sort[]): void;
  onClose(): void;
}

/** Chooses the columns of a table and their order, and by which it is sorted. */
export function Columns<Item>({ title, all, columns, onColumns, sort, onSort, onClose }: ColumnsProps<Item>) {
  const [first, ...others] = all;
  const [order, setOrder] = useState(() => [
    ...columns.slice(1),
    ...others.filter(({ name }) => !columns.some((column) => column.name === name)),
  ]);
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set(columns.map(({ name }) => name)));
  const toggle = (name: string) => {
    const changed = new Set(shown);
    if (!changed.delete(name)) changed.add(name);
    setShown(changed);
  };
  const [now] = sort;
  const directions = [
    ['asc', t.table.ascending],
    ['desc', t.table.descending],
  ] as const;
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={t.table.show}
        onCancel={onClose}
        onSubmit={async ({ sort: field, direction }) => {
          const names = order.flatMap(({ name }) => (shown.has(name) ? [name] : []));
          onColumns([...(first ? [first.name] : []), ...names]);
          const by = field === undefined ? [] : [{ field, direction: direction === 'desc' ? 'desc' : 'asc' } as const];
          if (now?.field !== field || (now && now.direction !== by[0]?.direction)) onSort(by);
          onClose();
        }}
      >
        <div class="two">
          <Field
            label={t.table.sortBy}
            name="sort"
            value={now?.field ?? ''}
            options={[
              ['', t.table.theNewestFirst],
              ...all
                .filter(({ isSortable = true }) => isSortable)
                .map((column) => [column.name, column.title] as const),
            ]}
          />
          <Field label={t.table.direction} name="direction" value={now?.direction ?? 'asc'} options={directions} />
        </div>
        <Ordered
          items={order}
          keyOf={({ name }) => name}
          handle={(column, place) => t.table.moveColumn(column.title, place)}
          hint={t.table.dragOrArrows}
          onMove={(from, to) => {
            const moved = order[from];
            if (moved && to >= 0 && to < order.length) setOrder(order.toSpliced(from, 1).toSpliced(to, 0, moved));
          }}
        >
          {(column) => (
            <label>
              <input type="checkbox" checked={shown.has(column.name)} onChange={() => toggle(column.name)} />{' '}
              <UserText text={column.title} />
            </label>
          )}
        </Ordered>
        <button
          type="button"
          class="link"
          onClick={() => {
            onColumns(undefined);
            onClose();
          }}
        >
          {t.table.usualColumns}
        </button>
      </Form>
    </Dialog>
  );
}
