import { withoutControls } from '#lib/core/text.ts';
import type { TextEntity } from '#lib/entities/message.ts';

/** Telegram's subset of HTML, by the entity that a tag makes (https://core.telegram.org/bots/api#html-style). */
const tags = new Map([
  ...(['b', 'strong'] as const).map((tag) => [tag, 'bold'] as const),
  ...(['i', 'em'] as const).map((tag) => [tag, 'italic'] as const),
  ...(['u', 'ins'] as const).map((tag) => [tag, 'underline'] as const),
  ...(['s', 'strike', 'del'] as const).map((tag) => [tag, 'strikethrough'] as const),
  ...(['tg-spoiler', 'span'] as const).map((tag) => [tag, 'spoiler'] as const),
  ...(['code', 'pre', 'blockquote'] as const).map((tag) => [tag, tag] as const),
  ['a', 'text_link'],
  ['tg-emoji', 'custom_emoji'],
] as [tag: string, type: string][]);

const characters: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** Why a text is none of Telegram's HTML. */
export class MalformedHtml extends Error {}

interface Open {
  tag: string;
  type: string;
  offset: number;
  url: string | null;
}

/** Returns the words of a text in Telegram's HTML, and what they are besides. Throws MalformedHtml. */
export function readHtml(html: string): { text: string; entities: TextEntity[] } {
  let text = '';
  const open: Open[] = [];
  const entities: TextEntity[] = [];
  for (let at = 0; at < html.length; ) {
    const next = html.indexOf('<', at);
    text += unescaped(html.slice(at, next === -1 ? html.length : next));
    if (next === -1) break;
    const end = html.indexOf('>', next);
    if (end === -1) throw new MalformedHtml('a tag has no end; write &lt; for <');
    const inner = html.slice(next + 1, end);
    at = end + 1;
    if (!inner.startsWith('/')) {
      open.push(opened(inner, text.length));
      continue;
    }
    const tag = inner.slice(1).trim().toLowerCase();
    const last = open.pop();
    if (last?.tag !== tag) throw new MalformedHtml(`</${tag}> ends nothing that is open`);
    const { type, offset, url } = last;
    // The language of a block is said by a code within it.
    const isLanguage = type === 'code' && open.at(-1)?.type === 'pre';
    if (text.length > offset && !isLanguage) entities.push({ type, offset, length: text.length - offset, url });
  }
  const [left] = open;
  if (left) throw new MalformedHtml(`<${left.tag}> is never closed`);
  return { text, entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length) };
}

function opened(inner: string, offset: number): Open {
  const tag = (/^[a-z0-9-]+/i.exec(inner)?.[0] ?? '').toLowerCase();
  const type = tags.get(tag);
  const rest = inner.slice(tag.length);
  if (type === undefined || (rest !== '' && !/^\s/.test(rest)))
    throw new MalformedHtml(`Telegram knows no <${inner.slice(0, 40)}>; write &lt; for <`);
  const named = (name: string) => attributeIn(rest, name);
  if (tag === 'span' && named('class') !== 'tg-spoiler') throw new MalformedHtml('a span must be of class tg-spoiler');
  const url = tag === 'a' ? named('href') : tag === 'tg-emoji' ? emoji(named('emoji-id')) : null;
  if (url && /^\s*(?:javascript|data|vbscript):/i.test(url)) throw new MalformedHtml('a link does not run programs');
  if (url === undefined || url === '') throw new MalformedHtml(`<${tag}> says not what it points at`);
  return { tag, type, offset, url };
}

/** The value of an attribute, where a tag has it. */
function attributeIn(attributes: string, name: string): string | undefined {
  const at = attributes.toLowerCase().indexOf(name);
  const after = attributes.slice(at + name.length).trimStart();
  if (at < 1 || !/\s/.test(attributes.charAt(at - 1)) || !after.startsWith('=')) return undefined;
  const value = after.slice(1).trimStart();
  const quote = value.charAt(0);
  if (quote !== '"' && quote !== "'") return unescaped(value.split(/\s/, 1)[0] ?? '');
  const end = value.indexOf(quote, 1);
  return end === -1 ? undefined : unescaped(value.slice(1, end));
}

/** The address of an emoji of Telegram's own. */
const emojiUrl = 'tg://emoji?id=';
const emoji = (id: string | undefined) => (id !== undefined && /^\d{1,20}$/.test(id) ? `${emojiUrl}${id}` : undefined);

const unescaped = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot));/gi, (whole, hex, decimal, name) => {
    if (name) return characters[name.toLowerCase()] ?? whole;
    const code = Number.parseInt(hex ?? decimal, hex ? 16 : 10);
    const sign = code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    return sign.isWellFormed() && withoutControls(sign) === sign ? sign : whole;
  });

/** An entity as the Bot API takes it. */
export function entityForBot({ type, offset, length, url }: TextEntity): object {
  const place = { offset, length };
  const person = /^tg:\/\/user\?id=(\d{1,16})$/.exec(url ?? '')?.[1];
  if (person !== undefined) return { ...place, type: 'text_mention', user: { id: Number(person) } };
  if (type === 'custom_emoji') return { ...place, type, custom_emoji_id: url?.slice(emojiUrl.length) };
  return { ...place, type, ...(url !== null && { url }) };
}

/** The id of Telegram's own emoji that an entity shows. */
export const emojiIdOf = ({ url }: TextEntity): string => url?.slice(emojiUrl.length) ?? '0';
