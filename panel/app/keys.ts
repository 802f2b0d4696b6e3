import { useEffect, useRef } from 'preact/hooks';

/** What decides which shortcut a key press is. */
export interface Press {
  key: string;
  code: string;
}

/**
 * Returns the key as shortcuts name it: a Latin letter in lower case, whatever caps lock says. On a layout without Latin letters it
 * is what the same key has on an American keyboard.
 */
export function shortcutKey({ key, code }: Press): string {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  if (/^\p{L}$/u.test(key)) return /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : key;
  // On Cyrillic layouts the key of the slash has a full stop, and a comma with Shift.
  if (code === 'Slash' && key === '.') return '/';
  if (code === 'Slash' && key === ',') return '?';
  return key;
}

/** Whether what is typed into an element is text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Does things by one key each while the part that calls it is shown, and no dialog is open. */
export function useKeys(keys: Readonly<Record<string, () => unknown>>): void {
  const present = useRef(keys);
  present.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const act = present.current[shortcutKey(event)];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
