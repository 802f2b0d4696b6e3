import { isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import iconv from 'iconv-lite';
import { type Alphabet, alphabets, commonest, languageOf } from './alphabets.ts';

export interface Decoded {
  text: string;
  /** By which it was read. */
  charset: string;
  /** The label, where nobody knows it. */
  unknown?: string;
}

/** Known of a text besides its bytes. */
export interface Context {
  isHtml?: boolean;
  /** Its end may be half a character. */
  isCut?: boolean;
  hints: Hints;
}

/** Known of a whole mail: charsets and languages that its parts and headers name, and the limits that remain. */
export interface Hints {
  readonly charsets: ReadonlySet<string | undefined>;
  readonly languages: ReadonlySet<string | undefined>;
  /** Number of bytes that may be guessed yet. */
  room: number;
  /** Charsets by label. */
  readonly labels: Map<string, string | undefined>;
}

/** A mail in many languages says nothing of any. */
const maxHints = 16;
/** Limit for the bytes of a mail that are guessed. A guess costs a hundred times what reading does. */
const maxGuessedOfMail = 64 * 1024;
/** The cost of the shortest guess, in bytes. */
const leastGuessedBytes = 256;
/** Limit for the labels of a mail that are looked up: an unknown one costs more than the text of a word. */
const maxLabels = 100;

/** Returns the hints that a mail's charsets, languages, and countries are. */
export function hintsOf(given: readonly string[]): Hints {
  const tags = [...new Set(given.map((tag) => tag.toLowerCase()))].slice(0, maxHints);
  const charsets = new Set(tags.map(charsetOf));
  const languages = new Set([...tags, ...charsets].map((tag) => languageOf(tag ?? '')));
  return { charsets, languages, room: maxGuessedOfMail, labels: new Map() };
}

/** Returns the text of bytes with the label that a mail gives them. Valid UTF-8 is UTF-8; without a known label it is a guess. */
export function decodeText(bytes: Buffer, label: string, { isHtml, isCut, hints }: Context): Decoded {
  const mark = markOf(bytes);
  if (mark) return read(bytes, mark);
  const named = lookedUp(label, hints);
  const says = (!named && isHtml && metaIn(bytes, hints)) || named;
  if (isAscii(bytes)) return { ...read(bytes, asciiCharset(bytes, says)), ...unknownOf(label, says) };
  const whole = isCut || isHalved(bytes) ? bytes.subarray(0, wholeCharacters(bytes)) : bytes;
  if (isUtf8(whole) && !(says && isWide.test(says) && whole.includes(0))) return read(whole, 'utf-8');
  // Text without an eighth bit cannot be in a charset that needs it, and the reverse.
  if (says && says !== 'utf-8' && !isNarrow.test(says)) return read(bytes, says);
  if (isMostlyUtf8(bytes)) return read(bytes, 'utf-8');
  const tags = [says, isHtml ? languageIn(bytes) : undefined];
  return { ...read(bytes, guess(bytes, hints, tags)), ...unknownOf(label, says) };
}

const isNarrow = /^(iso-2022-|hz-|utf-7)/;
/** Text in English has zero bytes in these. */
const isWide = /^(utf-?16|utf-?32|ucs-?[24])/;

/** Lower ones are no text, but in a wide charset the halves of letters. */
const firstTextByte = 0x09;

/** Returns the charset of bytes without an eighth bit: by the label, unless they switch to another, or are as they stand. */
function asciiCharset(bytes: Buffer, says: string | undefined): string {
  if (says && isNarrow.test(says)) return says;
  const text = bytes.toString('latin1');
  if (text.includes('\x1b$B') || text.includes('\x1b$@')) return 'iso-2022-jp';
  if (text.includes('\x1b$)C')) return 'iso-2022-kr';
  return !says || (isWide.test(says) && !bytes.some((byte) => byte < firstTextByte)) ? 'utf-8' : says;
}

/** Labels of what nobody knows, of ASCII, which says nothing of other bytes, or of encodings that are no charsets. */
const wordless =
  /^(us-?ascii|ascii|ansi_x3\.4.*|iso-?646.*|cp20127|(x-)?unknown(-8bit)?|8-?bit|7-?bit|binary|default|none|x-user-defined|_?auto.*|undefined|null|(x-)?hex|(x-)?base-?64)?$/;

const unknownOf = (label: string, says: string | undefined) =>
  says || wordless.test(cleanLabel(label)) ? {} : { unknown: cleanLabel(label).slice(0, 40) };

const cleanLabel = (label: string) =>
  label
    .toLowerCase()
    .replace(/^["'\s]+/, '')
    .replace(/["';,*].*$/s, '')
    .trimEnd();

/** Names of charsets by Windows code page. */
const codePages: Record<string, string> = {
  ...{ 932: 'shift_jis', 943: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5', 951: 'big5-hkscs', 1386: 'gbk' },
  ...{ 866: 'ibm866', 65001: 'utf-8', 65000: 'utf-7', 20866: 'koi8-r', 21866: 'koi8-u', 1200: 'utf-16le' },
  ...{ 1201: 'utf-16be', 10000: 'macintosh', 10007: 'x-mac-cyrillic', 50220: 'iso-2022-jp', 50221: 'iso-2022-jp' },
  ...{ 50222: 'iso-2022-jp', 50225: 'iso-2022-kr', 51932: 'euc-jp', 51949: 'euc-kr', 51936: 'gbk', 54936: 'gb18030' },
  ...{ 10001: 'shift_jis', 10002: 'big5', 10003: 'euc-kr', 10006: 'macgreek', 10008: 'gbk', 10010: 'macromania' },
  ...{ 10017: 'x-mac-cyrillic', 10021: 'macthai', 10029: 'maccenteuro', 10079: 'maciceland', 10081: 'macturkish' },
  ...{ 10082: 'maccroatian', 154: 'pt154', 878: 'koi8-r', 5601: 'euc-kr', 38598: 'iso-8859-8' },
  ...{ 52936: 'hz-gb-2312', 20932: 'euc-jp', 1363: 'euc-kr', 970: 'euc-kr', 33722: 'euc-jp', 5022: 'iso-2022-jp' },
};
const latinParts = ['', '1', '2', '3', '4', '9', '10', '13', '14', '15', '16'];
/** Charsets that switch with signs of ASCII: between which of them a text is read with the eighth bit. */
const shifting: Record<string, { charset: string; from: string; to: string; head: string }> = {
  'iso-2022-kr': { charset: 'euc-kr', from: '\x0e', to: '\x0f', head: '\x1b$)C' },
  'iso-2022-cn': { charset: 'gbk', from: '\x0e', to: '\x0f', head: '\x1b$)A' },
  'hz-gb-2312': { charset: 'gbk', from: '~{', to: '~}', head: '~\n' },
};

/** The charset that a label of the mail means, undefined where it means none, or the mail has too many. */
function lookedUp(label: string, { labels }: Hints): string | undefined {
  if (!labels.has(label) && labels.size < maxLabels) labels.set(label, charsetOf(label));
  return labels.get(label);
}

/** The charset that a label means, undefined where it means none. */
function charsetOf(label: string | undefined): string | undefined {
  const clean = cleanLabel(label ?? '');
  if (wordless.test(clean)) return undefined;
  const [, page] =
    /^(?:x-|cs)?(?:ms-|microsoft-)?(?:win|windows|cp|ms|ibm|dos|codepage|ansi|ccsid|oem)?[-_ .]*0*(\d{3,5})c?$/.exec(
      clean,
    ) ?? [];
  const [, part] = /^(?:x-)?(?:iso|csiso)?[-_ ]?8859[-_ ]?(\d{1,2}(?:-[ie])?)/.exec(clean) ?? [];
  const [, latin] = /^(?:cs)?(?:iso)?[-_ ]?l(?:atin)?[-_ ]?(\d{1,2})$/.exec(clean) ?? [];
  const bare = clean.replace(/^(x|cs)-?/, '').replaceAll(/[^a-z0-9]/g, '');
  const spellings = [
    clean,
    ...(page ? [codePages[page] ?? `windows-${page}`, `cp${page}`] : []),
    ...(part ? [`iso-8859-${part}`] : []),
    ...(latin ? [`iso-8859-${latinParts[Number(latin)] ?? ''}`] : []),
    clean.replace(/^(x|cs)-?/, ''),
    clean.replaceAll('_', '-'),
    clean.replaceAll(/[^a-z0-9]/g, ''),
    bare,
    clean.replace(/[-_]?(?:strict|hkscs|2004|x0213|ext|with.*)$/s, ''),
    bare.replace(
      /^(gb2312|gb18030|gbk|big5|euckr|eucjp|eucjpms|shiftjis|sjis|ksc5601|koi8r|koi8u|tis620|utf8|utf16|iso2022jp).*$/,
      '$1',
    ),
  ];
  for (const spelling of spellings) {
    if (Object.hasOwn(shifting, spelling)) return spelling;
    if (Object.hasOwn(spelt, spelling)) return spelt[spelling];
    const known = decoderNamed(spelling)?.encoding;
    if (known) return known;
    if (iconv.encodingExists(spelling)) return spelling;
  }
  return undefined;
}

/** Spellings that no list has. */
const spelt: Record<string, string> = {
  ...{ hz: 'hz-gb-2312', hzgb2312: 'hz-gb-2312', iso2022kr: 'iso-2022-kr', iso2022jp: 'iso-2022-jp', koi8: 'koi8-r' },
  ...{ gb2312: 'gbk', gb: 'gbk', eucgb2312cn: 'gbk', euccn: 'gbk', eucjpms: 'euc-jp', euckr: 'euc-kr', uhc: 'euc-kr' },
  ...{ ksc56011987: 'euc-kr', ksc5601: 'euc-kr', shiftjis: 'shift_jis', sjis: 'shift_jis', eucjp: 'euc-jp' },
  ...{ koi8r: 'koi8-r', koi8u: 'koi8-u', koi8ru: 'koi8-u', mskanji: 'shift_jis', ansi: 'windows-1252', euctw: 'big5' },
  ...{ unicode: 'utf-16le', ucs2: 'utf-16le', iso10646ucs2: 'utf-16be', cesu8: 'utf-8', utf8mb4: 'utf-8' },
  ...{
    unicode20utf7: 'utf-7',
    gb18030: 'gb18030',
    cngb: 'gbk',
    zhcneuc: 'gbk',
    hp15cn: 'gbk',
    simplifiedchinese: 'gbk',
  },
  ...{ traditionalchinese: 'big5', zhtwbig5: 'big5', ksx1001: 'euc-kr', ksc58611992: 'euc-kr', kreuc: 'euc-kr' },
  ...{ euc: 'euc-jp', ujis: 'euc-jp', ibmeucjp: 'euc-jp', pck: 'shift_jis', jis: 'iso-2022-jp' },
  ...{ jisencoding: 'iso-2022-jp', iso2022cn: 'iso-2022-cn', iso2022cnext: 'iso-2022-cn' },
  ...{ cyrillic: 'iso-8859-5', greek: 'iso-8859-7', hebrew: 'iso-8859-8', arabic: 'iso-8859-6' },
  ...{ turkish: 'windows-1254', thai: 'windows-874', tis620: 'windows-874', windowscyrillic: 'windows-1251' },
  ...{ latin: 'windows-1252', iso8859: 'windows-1252', westeurope: 'windows-1252', winlatin1: 'windows-1252' },
  ...{ windowslatin1: 'windows-1252', latin0: 'iso-8859-15', l0: 'iso-8859-15', pcmultilingual850euro: 'cp858' },
  ...{ maccyrillic: 'x-mac-cyrillic', mac: 'macintosh', macroman: 'macintosh', applemacintosh: 'macintosh' },
  ...{ macce: 'maccenteuro', maccentraleurope: 'maccenteuro', maccentraleurroman: 'maccenteuro' },
  ...{ macicelandic: 'maciceland', macromanian: 'macromania', macjapanese: 'shift_jis', mackorean: 'euc-kr' },
  ...{ macchinesesimp: 'gbk', macchinesetrad: 'big5', viettcvn5712: 'tcvn', ptcp154: 'pt154', cyrillicasian: 'pt154' },
  ...{ kz1048: 'rk1048' },
};

function decoderNamed(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

/** Charsets of which TextDecoder lacks letters that Windows sends: of Korean words, and of Hong Kong. */
const fullTables: Record<string, string> = { 'euc-kr': 'cp949', big5: 'big5hkscs' };

function read(bytes: Buffer, charset: string): Decoded {
  const shifts = shifting[charset];
  if (shifts) return { text: unshifted(bytes, shifts), charset };
  // In a stream half a character at the end is nothing, not a replacement character.
  const table = fullTables[charset];
  if (table) return { text: iconv.getDecoder(table).write(bytes), charset };
  const text = decoderNamed(charset)?.decode(bytes, { stream: true }) ?? iconv.decode(bytes, charset);
  return { text, charset };
}

function unshifted(bytes: Buffer, { charset, from, to, head }: (typeof shifting)[string]): string {
  const [first = '', ...runs] = bytes.toString('latin1').replaceAll(head, '').split(from);
  const wide = runs.map((run) => {
    const [inner = '', ...after] = run.split(to);
    return inner.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) | 0x80)) + after.join('');
  });
  return read(Buffer.from(first + wide.join(''), 'latin1'), charset).text;
}

const marks: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const markOf = (bytes: Buffer) => marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];

/** Where HTML says its charset (WHATWG, "prescan a byte stream"), or XML. */
const maxPrescanBytes = 8192;
function metaIn(bytes: Buffer, hints: Hints): string | undefined {
  const start = bytes.toString('latin1', 0, maxPrescanBytes).replaceAll(/<!--.*?(?:-->|$)/gs, '');
  for (const [tag] of start.matchAll(/<(?:meta|\?xml)\b[^<>]*>/gi)) {
    const [, charset] = /\b(?:charset|encoding)\s{0,9}=\s{0,9}["']?\s{0,9}([^\s"'/>;]{1,80})/i.exec(tag) ?? [];
    const known = lookedUp(charset ?? '', hints);
    // Bytes that were readable as ASCII up to here are not UTF-16.
    if (known) return known.startsWith('utf-16') ? 'utf-8' : known;
  }
  return undefined;
}

/** The language that HTML says. */
const languageIn = (bytes: Buffer): string | undefined =>
  /<(?:html|body)\b[^<>]{0,999}?\s(?:xml:)?lang\s?=\s?["']?([\w-]{1,40})/i.exec(
    bytes.toString('latin1', 0, maxPrescanBytes),
  )?.[1];

/** Where a character of UTF-8 begins that the end cuts, or the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return sizeAt(byte) > back ? bytes.length - back : bytes.length;
    if (byte < 0x80) break;
  }
  return bytes.length;
}
const sizeAt = (byte: number) => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);

/** Whether its end cuts a character and all else has others: a lone byte at the end alone is one of a narrow charset. */
const isHalved = (bytes: Buffer) => {
  const end = wholeCharacters(bytes);
  return end < bytes.length && !isAscii(bytes.subarray(0, end));
};

/** Whether more of it are characters of UTF-8 than bytes that are none. */
function isMostlyUtf8(bytes: Buffer): boolean {
  const text = bytes.toString('utf-8');
  let wrong = 0;
  let wide = 0;
  for (const character of text) {
    if (character === '\ufffd') wrong += 1;
    else if (character >= '\u0080') wide += 1;
  }
  return wide > wrong;
}

/** As much of a text shows its language. */
const maxGuessedBytes = 16_384;
/** Points of a hint, compared with the likelihood of the text. */
const hintPoints = 0.6;

/** Returns the likeliest charset of bytes that nobody names, or whose label is wrong; the commonest once a mail has had its guesses. */
export function guess(bytes: Buffer, hints: Hints, tags: readonly (string | undefined)[] = []): string {
  const sample = bytes.subarray(0, maxGuessedBytes);
  if (hints.room <= 0) return commonest;
  hints.room -= Math.max(sample.length, leastGuessedBytes);
  const charsets = new Set([...hints.charsets, ...tags]);
  const languages = new Set([...hints.languages, ...tags.map((tag) => languageOf(tag ?? ''))]);
  const latinShare = latinShareOf(sample);
  const readings = new Map<string, Place[] | undefined>();
  const isWestern = languages.has('west') || [...languages].every((language) => language === undefined);
  let best = { charset: commonest, points: Number.NEGATIVE_INFINITY };
  for (const alphabet of alphabets) {
    const { charset, language } = alphabet;
    if (!readings.has(charset)) readings.set(charset, placesIn(sample, charset));
    const places = readings.get(charset);
    if (!places) continue;
    const isHinted = charsets.has(charset) || languages.has(language);
    const { mean, wide } = likelihood(places, alphabet);
    const points = mean + (isHinted ? hintPoints : 0) + priorOf(alphabet, isWestern ? latinShare / wide : 0);
    if (points > best.points) best = { charset, points };
  }
  return best.charset;
}

/** Returns what a charset has ahead of the others: the less a text says, and the more of its words are in ASCII, the more. */
function priorOf({ charset, language }: Alphabet, certainty: number): number {
  if (charset === commonest) return language === 'west' ? 0.3 + 1.2 * certainty : 0.1;
  return rare.has(charset) ? -0.2 - certainty : 0;
}
const rare = new Set(['macintosh', 'iso-8859-15']);

/** Returns the share of ASCII among the letters of those words that have other bytes, too; 1 where such a byte is alone. */
function latinShareOf(sample: Buffer): number {
  let ascii = 0;
  let wide = 0;
  let isAlone = true;
  for (const [word] of sample.toString('latin1').matchAll(/[a-z\u0080-\u00ff]+/gi)) {
    const own = word.replaceAll(/[a-z]+/gi, '').length;
    if (own === 0) continue;
    wide += own;
    ascii += word.length - own;
    isAlone &&= word.length === 1;
  }
  return isAlone ? 1 : ascii / (ascii + wide);
}

/** A character that is not ASCII, or that follows one, with its neighbors. */
interface Place {
  before: string;
  character: string;
  after: string;
  isMarkInPlace: boolean;
}

/** Returns what a sample has that is not ASCII, or undefined if it has bytes that the charset has not. */
function placesIn(sample: Buffer, charset: string): Place[] | undefined {
  const { text } = read(sample, charset);
  if (text.includes('\ufffd')) return undefined;
  const characters = [...text];
  const places: Place[] = [];
  for (const [at, character] of characters.entries()) {
    const before = characters[at - 1] ?? ' ';
    if (character < '\u0080' && before < '\u0080') continue;
    const after = characters[at + 1] ?? ' ';
    const isMarkInPlace = placedMark.test(character) && isInPlace(before + character + after);
    places.push({ before, character, after, isMarkInPlace });
  }
  return places;
}

const isLetter = /\p{L}|\p{M}/u;
const isUpper = /\p{Lu}/u;
const isLower = /\p{Ll}/u;
const isMark = /[\u00a0«»“”„‘’–—…№§°€£·©®™¿¡、。，！？：；（）「」『』【】・ー～《》]/;
const placedMark = /[\u00a0’‘“”„‚«»‹›–—•·€£¥§¶±×÷½¼¾©…°²³®™ªºµ¿¡]/;
/** Marks with what is before and after them where people write them. */
const placesOfMarks = [
  /^\p{L}’\p{L}$/u,
  /^[^\p{L}\p{N}][“„‘‚«‹][\p{L}\p{N}]$/u,
  /^[\p{L}\p{N}\p{P}][”“’‘»›][^\p{L}\p{N}]$/u,
  /^[^\p{L}\p{N}][–—•·][^\p{L}\p{N}]$/u,
  /^\p{N}–\p{N}$/u,
  /^[^\p{L}][€£¥§¶±×÷½¼¾©][^\p{L}]$/u,
  /^[\p{L}\p{N}]…[\s\S]$/u,
  /^[\p{L}\p{N}][°²³®©™][^\p{L}]$/u,
  /^[\p{N}n][ªº][^\p{L}]$/u,
  /^[^\p{L}]°[\s\S]$/u,
  /^[^\p{L}]©\p{Lu}$/u,
  /^[^\p{L}]\u00a0[\s\S]$/u,
  /^[\s\S]\u00a0[^\p{L}]$/u,
  /^[^\p{L}][µ¿¡]\p{L}$/u,
];
const isInPlace = (text: string): boolean => placesOfMarks.some((place) => place.test(text));
/** Letters that are words of their own in some language. */
const isWord = /[àáâãåæéèêíîóôòöøúùýœ]/i;

/** How well a text reads as words of the alphabet: points for each character that is not ASCII, and how many there are. */
function likelihood(places: readonly Place[], { letters, common }: Alphabet): { mean: number; wide: number } {
  const isLatin = letters.test('a');
  let points = 0;
  let wide = 0;
  for (const { before, character, after, isMarkInPlace } of places) {
    if (character >= '\u0080') {
      wide += 1;
      if (isMarkInPlace) points += 1.7;
      else points += pointsOf(character, { letters, common, isLatin }) - oddity(before, character, { after, isLatin });
    } else if (isLetter.test(before) && isLetter.test(character)) {
      if (!isLatin) points -= 1.5;
      if (isLower.test(before) && isUpper.test(character)) points -= 2;
    }
  }
  return { mean: wide === 0 ? Number.NEGATIVE_INFINITY : points / wide, wide };
}

function pointsOf(
  character: string,
  { letters, common, isLatin }: Pick<Alphabet, 'letters' | 'common'> & { isLatin: boolean },
): number {
  const rank = common.indexOf(character.toLowerCase());
  // The first letters of an alphabet are the most frequent. Word signs are too many to rank.
  if (rank >= 0) return character > '\u3000' ? 2 : 2 - (1.3 * rank) / Math.max(common.length, 25);
  if (isMark.test(character)) return 0.7;
  // Each Latin alphabet has few letters of its own: another is of another language.
  if (letters.test(character)) return isLatin ? 0 : 0.8;
  return -3;
}

/** A letter beside a digit or one of another script, a capital after a small letter, accents side by side, a mark within a word. */
function oddity(before: string, character: string, { after, isLatin }: { after: string; isLatin: boolean }): number {
  if (!isLetter.test(character)) {
    if (!isLatin || !isLetter.test(after)) return 0;
    return isLetter.test(before) ? 2 : isOfNumber.test(character) ? 1.5 : 0;
  }
  const isBesideDigit = isLatin && (isDigit.test(before) || isDigit.test(after)) ? 2 : 0;
  if (!isLetter.test(before)) {
    const isAlone = isLatin && after !== '.' && !isLetter.test(after) && !isWord.test(character);
    return isBesideDigit + (isAlone ? 1.5 : 0);
  }
  const isCaseOdd = isLower.test(before) && isUpper.test(character) ? 2 : 0;
  // Within a word of Icelandic it begins another: Turkish has its own letter there.
  const isThorn = /þ/.test(character) ? 1 : 0;
  const isBeside = isLatin
    ? before >= '\u0080' && !isPlain.test(character) && !isPlain.test(before)
    : before < '\u0080';
  return isBesideDigit + isCaseOdd + isThorn + (isBeside ? 1.5 : 0);
}
const isDigit = /\d/;
/** Marks that begin no word, but where letters of other charsets are. */
const isOfNumber = /[£€¥§°®©]/;
/** Letters beside which an accent may be. */
const isPlain = /[ßçšžþð]/i;
