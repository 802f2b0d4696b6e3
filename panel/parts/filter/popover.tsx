import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface PopoverProps {
  label: string;
  /** Below which it opens; it gets the focus back. */
  anchor: RefObject<HTMLElement | null>;
  onClose(): void;
  children: ComponentChildren;
}

const gapPx = 8;

/** Gives the focus to the part of an editor with which it begins. */
export function focusFirst(of: HTMLElement | null): void {
  const places = ['[data-first]', '.choices input', 'input', 'select'];
  const [first] = places.flatMap((place) => of?.querySelector<HTMLElement>(place) ?? []);
  first?.focus();
}

/** A small window at an element: it is open as long as it is rendered, and closes with Escape or a click outside. */
export function Popover({ label, anchor, onClose, children }: PopoverProps) {
  const element = useRef<HTMLDivElement>(null);
  const place = () => {
    const [at, shown] = [anchor.current, element.current];
    if (!at || !shown) return;
    const { left, bottom } = at.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = shown;
    shown.style.left = `${Math.max(gapPx, Math.min(left, innerWidth - offsetWidth - gapPx))}px`;
    shown.style.top = `${Math.max(gapPx, Math.min(bottom + 4, innerHeight - offsetHeight - gapPx))}px`;
  };
  useLayoutEffect(() => {
    const shown = element.current;
    shown?.showPopover();
    focusFirst(shown);
    const observer = new ResizeObserver(place);
    if (shown) observer.observe(shown);
    const focused = anchor.current;
    return () => {
      observer.disconnect();
      if (document.activeElement === document.body || shown?.contains(document.activeElement)) focused?.focus();
    };
  }, []);
  useLayoutEffect(place);
  return (
    <div
      ref={element}
      popover="auto"
      role="dialog"
      aria-label={label}
      class="popover"
      onToggle={({ newState }) => newState === 'closed' && onClose()}
      onKeyDown={(event) => {
        // It closes by itself; a dialog around it stays.
        if (event.key === 'Escape') event.stopPropagation();
      }}
    >
      {children}
    </div>
  );
}
