import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const names = signal<readonly string[]>([]);

/** How many conversations are unread, for the title of the tab: `(3) Inbox · CRM`. */
export const unreadCount = signal(0);

/** Names the tab after a page or record while it is shown; the one that was shown last wins. */
export function useTitle(name: string | undefined): void {
  useEffect(() => {
    if (name === undefined || name === '') return;
    names.value = [...names.peek(), name];
    return () => {
      const at = names.peek().lastIndexOf(name);
      names.value = names.peek().toSpliced(at, 1);
    };
  }, [name]);
}

/** Writes the title of the tab whenever what it says changes. */
export function showTitle(): void {
  effect(() => {
    const unread = unreadCount.value > 0 ? `(${unreadCount.value}) ` : '';
    document.title = `${unread}${[...names.value.slice(-1), 'CRM'].join(' · ')}`;
  });
}
