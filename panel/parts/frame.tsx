import type { Signal } from '@preact/signals';
import { Icon } from './icon.tsx';

/** Leads the keyboard past the top bar and the navigation, into the page. */
export const SkipLink = () => (
  // biome-ignore lint/a11y/useValidAnchor: it leads into this page, whose place in the address stays
  <a
    class="skip"
    href="#main"
    onClick={(event) => {
      event.preventDefault();
      document.querySelector<HTMLElement>('main')?.focus();
    }}
  >
    Skip to content
  </a>
);

/** Opens and closes the navigation where the window is narrow. */
export const MenuButton = ({ isOpen }: { isOpen: Signal<boolean> }) => (
  <button
    type="button"
    class="quiet menu"
    aria-expanded={isOpen.value}
    aria-controls="navigation"
    onClick={() => (isOpen.value = !isOpen.value)}
  >
    <Icon name={isOpen.value ? 'close' : 'menu'} />
    <span class="hidden">Menu</span>
  </button>
);
