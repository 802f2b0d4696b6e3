import type { Signal } from '@preact/signals';
import { t } from '../app/texts.ts';
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
    {t.parts.skipToContent}
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
    <span class="hidden">{t.parts.menu}</span>
  </button>
);
