import { Parser } from 'htmlparser2';
import { withoutFiller } from './filler.ts';
import { endsWithAttribution } from './quotes.ts';

/** Elements that stand on lines of their own. */
const blocks = new Set(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
/** Elements whose content is not shown. */
export const unshown = [
  'title',
  'style',
  'script',
  'noscript',
  'template',
  'svg',
  'math',
  'textarea',
  'option',
  'select',
  'object',
  'audio',
  'video',
  'canvas',
  'iframe',
  'noframes',
  'noembed',
];
const isUnshown = new Set(unshown);
/** Elements that are cells of a table, whose texts are kept apart. */
const cells = new Set(['td', 'th']);

type Attributes = Record<string, string>;

/** Whether a program that shows mail leaves an element out. */
export function isHidden(attributes: Attributes): boolean {
  if ('hidden' in attributes) return true;
  const style = (attributes['style'] ?? '').toLowerCase().replaceAll(/\s|!important/g, '');
  if (style === '') return false;
  return (
    /(?:^|;)(?:display:none|visibility:hidden|mso-hide:all|opacity:0(?:\.0*)?(?=;|$))/.test(style) ||
    /(?:^|;)max-height:0(?:px|em|%|pt)?(?=;|$)/.test(style) ||
    (/(?:^|;)(?:height|width):0(?:px|em|%|pt)?(?=;|$)/.test(style) && /(?:^|;)overflow:hidden/.test(style))
  );
}

/** The parser takes the longer for a tag the more of them are open. */
const maxDepth = 1000;
const maxAddressCharacters = 2048;

/** Returns the text of HTML as it is shown: blocks on lines of their own, cells apart, links with their address. Undefined where it is nested too deep. */
export function shownText(html: string, options: { isUnquoted?: boolean } = {}): string | undefined {
  const tooDeep = new RangeError('nested too deep');
  const writer = new Writer(options.isUnquoted ?? false);
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1;
        if (depth > maxDepth) throw tooDeep;
        writer.open(name, attributes);
      },
      ontext: (words) => writer.add(words),
      onclosetag() {
        depth -= 1;
        writer.close();
      },
    },
    { decodeEntities: true },
  );
  try {
    parser.end(html);
  } catch (error) {
    if (error === tooDeep) return undefined;
    throw error;
  }
  return tidy(writer.pieces.join(''));
}

class Writer {
  readonly pieces: string[] = [];
  readonly #isUnquoted: boolean;
  readonly #endings: (() => void)[] = [];
  /** How many elements are open since one of which nothing is shown. */
  #hidden = 0;
  #preformatted = 0;
  /** Whether all that follows is a quote. */
  #isEnded = false;
  #isAfterCell = false;
  #last = '\n';
  /** Open link: its address and the index of its first piece. */
  #link = { address: '', from: 0 };

  constructor(isUnquoted: boolean) {
    this.#isUnquoted = isUnquoted;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#hidden > 0 || isUnshown.has(name) || isHidden(attributes) || this.#isQuote(name, attributes)) {
      this.#hidden += 1;
      return;
    }
    const isBlock = blocks.has(name) || isShownAsBlock.test(attributes['style'] ?? '');
    if (isBlock) this.#breakLine();
    if (name === 'br') this.#put('\n');
    if (name === 'pre') this.#preformatted += 1;
    if (name === 'img') this.add(attributes['alt'] ?? '');
    if (name === 'a') this.#link = { address: (attributes['href'] ?? '').trim(), from: this.pieces.length };
    this.#endings.push(() => {
      if (name === 'pre') this.#preformatted -= 1;
      if (name === 'a') this.#endLink();
      if (isBlock) this.#breakLine();
      if (cells.has(name)) this.#isAfterCell = true;
    });
  }

  close(): void {
    if (this.#hidden > 0) this.#hidden -= 1;
    else this.#endings.pop()?.();
  }

  add(words: string): void {
    if (this.#hidden > 0 || this.#isEnded || words === '') return;
    const piece = this.#preformatted > 0 ? words : words.replaceAll(/[ \t\r\n\f]+/g, ' ');
    if (piece === ' ' && isSpace.test(this.#last)) return;
    if (this.#isAfterCell && piece !== ' ' && !isSpace.test(this.#last)) this.#put(' ');
    this.#put(piece);
  }

  #put(piece: string): void {
    this.#isAfterCell &&= piece === ' ';
    this.pieces.push(piece);
    this.#last = piece.at(-1) as string;
  }

  #breakLine(): void {
    if (this.#last !== '\n') this.#put('\n');
  }

  #endLink(): void {
    const { address, from } = this.#link;
    this.#link = { address: '', from: 0 };
    if (!isAddress.test(address) || address.length > maxAddressCharacters) return;
    const words = this.pieces.slice(from).join('').trim();
    const shown = address.replace(/^(?:mailto|tel):/i, '');
    if (words === '') this.add(shown);
    else if (bare(words) !== bare(shown) && bare(words) !== bare(shown.replace(/\?.*$/s, ''))) this.add(` <${shown}>`);
  }

  #isQuote(
    name: string,
    { type = '', class: classes = '', id = '', name: label, style = '', ...others }: Attributes,
  ): boolean {
    if (!this.#isUnquoted) return false;
    this.#isEnded ||= lastId.test(id);
    if (this.#isEnded || quoteClass.test(classes) || quoteId.test(id) || label === 'quote') return true;
    // Gmail indents by one without a border.
    if (name !== 'blockquote' || /border:\s*none/i.test(style)) return false;
    const isMarked = /^cite$/i.test(type) || 'cite' in others || /border-left/i.test(style);
    if (isMarked) return true;
    const pieces = this.pieces.slice(-maxAttributionPieces).map((piece) => piece.slice(-maxAttributionCharacters));
    return endsWithAttribution(pieces.join('').slice(-maxAttributionCharacters));
  }
}

/** Limit for the pieces of an attribution, with its links and line ends. */
const maxAttributionPieces = 20;
const maxAttributionCharacters = 1200;
const isSpace = /\s/;
const isShownAsBlock = /display:\s*(?:block|table|flex|grid|list-item)/i;
const isAddress = /^(?:https?|mailto|tel|ftp):/i;
const quoteClass =
  /\b(?:gmail_quote|gmail_attr|moz-cite-prefix|yahoo_quoted|protonmail_quote|zmail_extra|tutanota_quote)\b/;
const quoteId = /^(?:appendonsend|reply-intro)$/i;
/** Outlook's head of the quoted mail, which follows without a mark. */
const lastId = /^(?:x_)*divRplyFwdMsg$/i;
const bare = (address: string) =>
  address
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?|^www\./, '')
    .replace(/[/?#]$/, '');

/** Blank lines and blanks as few as they can be. */
const tidy = (text: string) =>
  withoutFiller(text)
    .replaceAll(/[ \t\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
