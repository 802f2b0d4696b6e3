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
