import { firstBytes, oneLine } from '#lib/core/text.ts';

const maxNameBytes = 255;
/** Signs that make what follows read backwards: `annexe‮fdp.exe` looks like `annexeexe.pdf`. */
const directions = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * The name of a file without the folders it is said to lie in, control characters and signs that change the direction of reading;
 * empty where nothing is left. Of a longer one the beginning.
 */
export function cleanFileName(name: string, maxBytes = maxNameBytes): string {
  const last = oneLine(name.replaceAll(directions, '')).split(/[/\\]/).at(-1)?.trim() ?? '';
  return firstBytes(/^\.+$/.test(last) ? '' : last, maxBytes);
}
