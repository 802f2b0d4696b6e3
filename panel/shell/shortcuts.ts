import { signal } from '@preact/signals';
import { shortcutKey } from '../app/keys.ts';
import { go } from '../app/route.ts';
import { t } from '../app/texts.ts';
import { visiblePages } from './pages.ts';

export const isHelpOpen = signal(false);

/** What can be done anywhere by one key. */
export const keys = () =>
  [
    ['/', t.shell.searchOnThisPage],
    ['n', t.shell.newContactDealTaskOf],
    ['j', t.inbox.keys.next],
    ['k', t.inbox.keys.previous],
    ['e', t.inbox.keys.done],
    ['a', t.inbox.keys.mine],
    ['u', t.inbox.keys.unread],
    ['r', t.inbox.keys.answer],
    ['?', t.shell.thisHelp],
  ] as const;

const togetherMs = 1500;
let goneAt = 0;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function click(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) return false;
  if (found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement) found.focus();
  else found.click();
  return true;
}

/** `g` and a letter open a page, `/` searches, `n` makes something new, other letters are what the page gives them (`data-key`), `?` shows them all. */
export function listenForShortcuts(): void {
  addEventListener('keydown', (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.isComposing ||
      event.defaultPrevented ||
      isTyping(event.target)
    )
      return;
    if (document.querySelector('dialog[open]')) return;
    if (pressed(event)) event.preventDefault();
  });
}

function pressed(event: KeyboardEvent): boolean {
  const { timeStamp } = event;
  const key = shortcutKey(event);
  const page =
    timeStamp - goneAt < togetherMs ? visiblePages.value.find(({ shortcut }) => shortcut === key) : undefined;
  goneAt = key === 'g' ? timeStamp : 0;
  if (page) {
    go(page.path);
    return true;
  }
  if (key === '/') return click('main input[type=search]');
  if (key === 'n') return click('main [data-new]');
  if (key === '?') isHelpOpen.value = true;
  return key === '?' || (/^[a-z]$/.test(key) && click(`main [data-key=${key}]`));
}
