/**
 * Characters that no text may hold: Unicode's category Cc (C0, DEL and C1) but tab, line feed and carriage return; names, titles
 * and subjects are one line and hold none at all (contract, Revision 1.3).
 */
const controls = /[^\P{Cc}\t\n\r]/gu;
const lineControls = /\p{Cc}/u;

export const hasControls = (text: string) => text.search(controls) !== -1;
export const isOneLine = (text: string) => !lineControls.test(text);

/**
 * What came from outside as a text may be stored: without its control characters but tab, line feed and carriage return, and with
 * U+FFFD for each half of a character (a lone surrogate), which no UTF-8 can hold.
 */
export const withoutControls = (text: string) => text.replace(controls, '').toWellFormed();

/** The same of a name or a subject: trimmed, line breaks and tabs as a space, no other control characters. */
export const oneLine = (text: string) =>
  withoutControls(text)
    .replace(/[\t\n\r]+/g, ' ')
    .trim();

const compatible = /[\uFB00-\uFB17\uFF00-\uFFEF]+/g;

/**
 * A text as searches compare it: in one case, whatever the script does to it (ß and SS, σ and ς, İ, ı and I), in one composition,
 * with Latin and Armenian ligatures taken apart, and characters in one width. Greek capitals bear no accents, so Greek has none here.
 */
export function folded(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .replace(compatible, (part) => part.normalize('NFKC'))
    .normalize('NFC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFD')
    .replaceAll('i\u0307', 'i')
    .replace(/(\p{Script=Greek})\p{M}+/gu, '$1')
    .normalize('NFC');
}

/** `revenueSources` of `revenue-source`. */
export const pluralOf = (name: string) =>
  `${name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/y$/, 'ie')}s`;

/** The beginning of a text in so many bytes of UTF-8, whole characters only. */
export function firstBytes(text: string, maxBytes: number): string {
  // No UTF-16 unit takes more than three bytes.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** The beginning of a text in so many characters (Unicode code points). */
export function firstCharacters(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // No character takes more than two UTF-16 units.
  return [...text.slice(0, 2 * maxCharacters)].slice(0, maxCharacters).join('');
}
