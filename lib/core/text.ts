/**
 * Characters that no text may hold: Unicode's category Cc (C0, DEL and C1) but tab, line feed and carriage return; names, titles
 * and subjects are one line and hold none at all (contract, Revision 1.3).
 */
const controls = /[^\P{Cc}\t\n\r]/gu;
const lineControls = /\p{Cc}/u;

export const hasControls = (text: string) => text.search(controls) !== -1;
export const isOneLine = (text: string) => !lineControls.test(text);

/**
 * Returns a text from outside that can be stored. Control characters are removed but tab, line feed and carriage
 * return; each lone surrogate becomes U+FFFD.
 */
export const withoutControls = (text: string) => text.replace(controls, '').toWellFormed();

const directions = /\p{Bidi_Control}/gu;
const nothing = /^[\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether a text has nothing to see: white space, fillers, and characters without a width. */
export const isUnseen = (text: string) => nothing.test(text);

/** Returns a name without the signs that turn the direction of reading about; empty where nothing of it is seen. */
export const visibleName = (name: string) => {
  const read = name.replace(directions, '').trim();
  return isUnseen(read) ? '' : read;
};

/** The same of a name or a subject: line breaks and tabs as a space, no other control characters, and only what is seen. */
export const oneLine = (text: string) => visibleName(withoutControls(text).replace(/[\t\n\r]+/g, ' '));

const compatible = /[\uFB00-\uFB17\uFF00-\uFFEF]+/g;

/** Characters that show nothing, Unicode's own list; and the stroke that makes Arabic words longer. */
const unseen = /[\p{Default_Ignorable_Code_Point}\u0640]/gu;
/** Marks that readers leave out: of Cyrillic all but the breve, since й is a letter of its own. Other scripts write vowels with theirs. */
const accents =
  /([\p{Script=Latin}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}])\p{M}+|(\p{Script=Cyrillic}\u0306?)[\u0300-\u0305\u0307-\u036f]+/gu;

/** Letters that Unicode takes apart for collation alone, and marks that keyboards put in the place of others. */
const plain: Readonly<Record<string, string>> = {
  ...{ æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', þ: 'th' },
  ...Object.fromEntries([...'‘’‚‛′ʹʻʼʽˈ´`＇'].map((mark) => [mark, "'"])),
  ...Object.fromEntries([...'‐‑‒–—―−'].map((dash) => [dash, '-'])),
};
const unplain = new RegExp(`[${Object.keys(plain).join('')}]`, 'gu');

/**
 * Returns a text as searches compare it: without case, accents, width, and what is not seen, in one composition, with ligatures taken
 * apart.
 */
export function foldCase(text: string): string {
  if (/^[\0-_a-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .replace(compatible, (part) => part.normalize('NFKC'))
    .normalize('NFC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFD')
    .replace(unseen, '')
    .replace(accents, '$1$2')
    .replace(unplain, (letter) => plain[letter] ?? letter)
    .normalize('NFC');
}

/** The same of Germanic names that spell their vowels out: `mueller`. */
const spelledOut = (word: string) =>
  foldCase(word.normalize('NFC').replace(/[äöüåÄÖÜÅ]/g, (letter) => `${letter}${/å/i.test(letter) ? 'a' : 'e'}`));
const shortened = (word: string) => word.replace(/([aou])e/g, '$1');

/** Returns further spellings of each of the words. */
export type Spellings = (words: readonly string[]) => readonly (readonly string[])[];

/** Returns what a text must hold to be found by `q`: of every word one of its spellings. */
export function wordsOf(q: string, spellings: Spellings = () => []): string[][] {
  const words = q.split(/[\s,;]+/).map((word) => word.replace(/^@+(?=.)/, ''));
  const given = words.some((word) => foldCase(word) !== '') ? words : [q];
  const folded = given.map(foldCase);
  const others = spellings(folded);
  const wanted = folded.map((plainly, index) => {
    const further = [spelledOut(given[index] as string), shortened(plainly), ...(others[index] ?? [])];
    // `00` of a phone number means `+`, which is nothing to look for.
    return [...new Set([plainly, ...further.filter((spelling) => spelling !== '')])];
  });
  return wanted.filter(([word]) => word !== '');
}

/** Whether a folded text holds all of the words, each in one of its spellings. */
export const holdsWords = (text: string, words: readonly (string | readonly string[])[]): boolean =>
  words.every((word) =>
    typeof word === 'string' ? text.includes(word) : word.some((spelling) => text.includes(spelling)),
  );

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

const isDigit = /\p{Nd}/u;

/** Returns the digits of a text, of any script, as 0 to 9. All else is left out. */
export const asciiDigitsIn = (text: string): string =>
  [...text.normalize('NFKC')]
    .filter((sign) => isDigit.test(sign))
    .map(valueOfDigit)
    .join('');

/** Each script has its ten digits in a row. */
function valueOfDigit(sign: string): number {
  const code = sign.codePointAt(0) as number;
  let zero = code;
  while (code - zero < 9 && isDigit.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}
