import { useId, useRef, useState } from 'preact/hooks';

interface MenuProps {
  /** What the button shows. */
  text: string;
  /** What it is called, where the text alone does not say what it belongs to. */
  label?: string;
  /** `shortcut` is the key that does the same. */
  items: readonly { text: string; isDangerous?: boolean; shortcut?: string; choose(): void }[];
}

/** A button that opens a menu of actions, worked by pointer or by arrow keys, Enter and Escape. */
export function Menu({ text, label, items }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const opened = () => {
    const [at, shown] = [button.current, menu.current];
    if (!at || !shown) return;
    const { left, bottom, top } = at.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = shown;
    const below = bottom + offsetHeight + 8 < innerHeight;
    shown.style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
    shown.style.top = `${below ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
    shown.querySelector('button')?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const all = [...(menu.current?.querySelectorAll('button') ?? [])];
    const here = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Tab') menu.current?.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all.at(to % all.length)?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="small"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popovertarget={id}
      >
        {text}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label ?? text}
        class="menu-list"
        onKeyDown={move}
        onToggle={({ newState }) => {
          setOpen(newState === 'open');
          if (newState === 'open') opened();
        }}
      >
        {items.map((item) => (
          <button
            key={item.text}
            type="button"
            role="menuitem"
            class={item.isDangerous ? 'quiet bad' : 'quiet'}
            data-key={item.shortcut}
            onClick={() => {
              menu.current?.hidePopover();
              item.choose();
            }}
          >
            {item.text}
          </button>
        ))}
      </div>
    </>
  );
}
