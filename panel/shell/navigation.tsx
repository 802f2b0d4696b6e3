import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { place } from '../app/route.ts';
import { count } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { unreadCount } from '../app/title.ts';
import { Icon } from '../parts/icon.tsx';
import type { Page } from '../parts/page.ts';
import { visiblePages } from './pages.ts';

/** Whether the navigation is open where it has no room beside the page. */
export const isMenuOpen = signal(false);

export function Navigation() {
  const { path } = place.value;
  const groups = [...new Set(visiblePages.value.map(({ group }) => group))];
  useEffect(() => {
    isMenuOpen.value = false;
  }, [path]);
  return (
    <nav id="navigation" aria-label={t.shell.pages} class={isMenuOpen.value ? 'navigation open' : 'navigation'}>
      {groups.map((group) => (
        <div key={group ?? ''}>
          {group && <h2>{t.shell[group]}</h2>}
          <ul>
            {visiblePages.value
              .filter((page) => page.group === group)
              .map((page) => (
                <li key={page.path}>
                  <Link page={page} isOpen={path === page.path || path.startsWith(`${page.path}/`)} />
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

const Link = ({ page: { path, title, icon }, isOpen }: { page: Page; isOpen: boolean }) => (
  <a href={`#${path}`} aria-current={isOpen ? 'page' : undefined}>
    <Icon name={icon} />
    {title}
    {path === '/inbox' && unreadCount.value > 0 && (
      <span class="badge accent">
        {count(unreadCount.value)} <span class="hidden">{t.common.unread}</span>
      </span>
    )}
  </a>
);
