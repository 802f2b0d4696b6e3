import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface OrderedProps<Item> {
  items: readonly Item[];
  keyOf(item: Item): string | number;
  /** What the handle is called: which entry it moves, and its place. */
  handle(item: Item, place: number): string;
  hint: string;
  /** Undefined where the order is fixed. */
  onMove: ((from: number, to: number) => void) | undefined;
  children(item: Item): ComponentChildren;
}

/** Entries in their order, which is changed by dragging, or by the arrow keys on a handle. */
export function Ordered<Item>({ items, keyOf, handle, hint, onMove, children }: OrderedProps<Item>) {
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const list = useRef<HTMLOListElement>(null);
  const focused = useRef<string | number | undefined>(undefined);
  useEffect(() => {
    if (focused.current === undefined) return;
    list.current?.querySelector<HTMLElement>(`[data-handle="${focused.current}"]`)?.focus();
    focused.current = undefined;
  });
  const end = () => {
    setDragged(undefined);
    setOver(undefined);
  };
  return (
    <ol class="card ordered" ref={list}>
      {items.map((item, at) => (
        <li
          key={keyOf(item)}
          class={over === at && dragged !== at ? 'over' : undefined}
          draggable={onMove !== undefined}
          onDragStart={(event) => {
            event.dataTransfer?.setData('text/plain', String(keyOf(item)));
            setDragged(at);
          }}
          onDragOver={(event) => {
            if (dragged === undefined) return;
            event.preventDefault();
            setOver(at);
          }}
          onDrop={(event) => {
            event.preventDefault();
            if (dragged !== undefined) onMove?.(dragged, at);
            end();
          }}
          onDragEnd={end}
        >
          {onMove && (
            <button
              type="button"
              class="quiet"
              data-handle={keyOf(item)}
              aria-label={handle(item, at + 1)}
              title={hint}
              onKeyDown={(event) => {
                const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: items.length - 1 }[event.key];
                if (to === undefined) return;
                event.preventDefault();
                focused.current = keyOf(item);
                onMove(at, to);
              }}
            >
              ⠿
            </button>
          )}
          {children(item)}
        </li>
      ))}
    </ol>
  );
}
