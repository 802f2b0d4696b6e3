import { firstBytes, oneLine } from '#lib/core/text.ts';

const maxNameBytes = 255;

/**
 * The name of a file without the folders it is said to lie in, control characters and signs that change the direction of reading;
 * empty where nothing is left. Of a longer one the beginning.
 */
export function cleanFileName(name: string, maxBytes = maxNameBytes): string {
  const last = oneLine(name).split(/[/\\]/).at(-1)?.trim() ?? '';
  return firstBytes(/^\.+$/.test(last) ? '' : last, maxBytes);
}
