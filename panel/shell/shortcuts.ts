import { signal } from '@preact/signals';
import { shortcutKey } from '../app/keys.ts';
import { go } from '../app/route.ts';
import { current } from '../app/session.ts';
import { t } from '../app/texts.ts';
import { visiblePages } from './pages.ts';

export const isHelpOpen = signal(false);
export const isPaletteOpen = signal(false);

/** What was typed while the code of the palette was loading. */
let early = '';

/** Returns what was typed before the palette was there, once. */
export function takeEarly(): string {
  const taken = early;
  early = '';
  return taken;
}

/** What can be done anywhere by one key. */
export const keys = () =>
  [
    ['Ctrl\u00a0K', t.shell.searchEverything],
    ['/', t.shell.searchOnThisPage],
    ['n', t.shell.newContactDealTaskOf],
    ['j', t.inbox.keys.next],
    ['k', t.inbox.keys.previous],
    ['x', t.table.selectRow],
    ['e', t.inbox.keys.done],
    ['a', t.inbox.keys.mine],
    ['u', t.inbox.keys.unread],
    ['r', t.inbox.keys.answer],
    ['?', t.shell.thisHelp],
  ] as const;

const togetherMs = 1500;
let goneAt = Number.NEGATIVE_INFINITY;

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function openPalette(): boolean {
  if (current.value) isPaletteOpen.value = true;
  return isPaletteOpen.value;
}

function click(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) return false;
  if (found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement) found.focus();
  else found.click();
  return true;
}

/** Ctrl or Cmd with K searches everything, also from a field. Returns whether it was that. */
function isSearch(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && shortcutKey(event) === 'k';
}

/** `g` and a letter open a page, `/` searches, `n` makes something new, other letters are what the page gives them (`data-key`), `?` shows them all. */
export function listenForShortcuts(): void {
  addEventListener('keydown', (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    if (document.querySelector('dialog[open]')) {
      // The browser's own search beside the panel's would be one too many.
      if (isPaletteOpen.value && isSearch(event)) event.preventDefault();
      return;
    }
    if (isPaletteOpen.value) {
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) early += event.key;
      event.preventDefault();
      return;
    }
    if (isSearch(event)) {
      if (openPalette()) event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (pressed(event)) event.preventDefault();
  });
}

function pressed(event: KeyboardEvent): boolean {
  const { timeStamp } = event;
  const key = shortcutKey(event);
  const page =
    timeStamp - goneAt < togetherMs ? visiblePages.value.find(({ shortcut }) => shortcut === key) : undefined;
  goneAt = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY;
  if (page) {
    go(page.path);
    return true;
  }
  if (key === '/') return click('main input[type=search]') || openPalette();
  if (key === 'n') return click('main [data-new]');
  if (key === '?') isHelpOpen.value = true;
  return key === '?' || (/^[a-z]$/.test(key) && click(`main [data-key=${key}]`));
}
