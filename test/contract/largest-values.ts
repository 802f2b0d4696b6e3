import { changedFieldNames } from '#lib/events/changes.ts';
import type { Schema } from '#test/contract/wrong-values.ts';

/** Characters that grow or go astray on their way. */
export interface Letters {
  name: string;
  /** What each takes of UTF-16, at most. */
  units: number;
  /** A text of so many characters (Unicode code points); of several lines only where it may have them. */
  text(length: number, isMultiLine?: boolean): string;
}

/** Letters at both ends, because a text is trimmed. */
function filled(length: number, letterAt: (index: number) => string): string {
  const middle = Array.from({ length: Math.max(0, length - 2) }, (_, index) => letterAt(index));
  return ['A', ...middle, 'Z'].slice(-length).join('');
}

/** Four bytes each in UTF-8, and hardly to be compressed. */
const wide: Letters = {
  name: 'characters of four bytes',
  units: 2,
  text(length) {
    let state = 1;
    return filled(length, () => {
      state = (state * 48_271) % 0x7fffffff;
      return String.fromCodePoint(0x20000 + (state % 42_000));
    });
  },
};

const [quotes, lineBreaks] = [
  ['"', '\\', '&', '<', "'"],
  ['\n', '\t', '\r'],
];

/** JSON in JSON doubles them each time; in HTML, in headers and in addresses they mean something. */
const escaped: Letters = {
  name: 'characters that are escaped',
  units: 1,
  text(length, isMultiLine = false) {
    const letters = isMultiLine ? [...quotes, ...lineBreaks] : quotes;
    return filled(length, (index) => letters[index % letters.length] as string);
  },
};

const lost = [
  // Longer in lower case; two that combine; from right to left, and an order to be; without width; a sentence in one character.
  ...['\u0130', '\u0301', '\u0327', '\u05d0', '\u202e', '\u200b', '\u200d', '\ufdfa'],
  // Separators of lines and paragraphs, the byte order mark, the last code point; what separates in keys and addresses.
  ...['\u2028', '\u2029', '\ufeff', '\u{10ffff}', '#', '|', '%', '/', '?', ','],
];

const strange: Letters = {
  name: 'characters that go astray',
  units: 2,
  text: (length) => filled(length, (index) => lost[index % lost.length] as string),
};

/** `npm run test:largest` sends them all; those that take the most room are for every day. */
export const everyLetters: readonly Letters[] =
  process.env['MODE'] === 'every-letter' ? [wide, escaped, strange] : [wide];

/** Texts that are more than one line. */
const multiLine = new Set(['text', 'notes', 'description', 'message', 'body', 'bodyText', 'bodyHtml', 'instructions']);

const lastTime = '9999-12-31T23:59:59Z';

/** The longest of what has a form. */
const formed: Record<string, (letters: Letters) => string> = {
  assignedToUserId: () => '2147483647',
  username: () => 'Wide_user.name9'.repeat(5).slice(0, 64),
  phone: () => `+(${'9-'.repeat(9)}9)${'9'.repeat(10)}`,
  email: ({ text }) => `${text(242)}@example.com`,
  include: () => 'fields',
  language: () => 'pt-BR',
  shortcut: () => 'x'.repeat(32),
  domain: () => domainOf(0),
  website: () => `https://example.com/${'x'.repeat(2028)}`,
  eventKind: () => 'message.button_pressed',
  timeZone: () => 'America/Argentina/ComodRivadavia',
  data: (letters) => ofBytes(48, letters),
  currency: () => 'UYW',
  defaultCurrency: () => 'UYW',
  color: () => '#ffffff',
  platformMessageId: () => '9'.repeat(20),
  botToken: () => `test_${'x'.repeat(195)}`,
  session: (letters) => ofBytes(4096, letters),
  accessToken: () => `test_${'x'.repeat(495)}`,
  refreshToken: () => 'x'.repeat(500),
  clientId: () => 'x'.repeat(200),
  clientSecret: () => 'x'.repeat(200),
  credential: (letters) => ofBytes(4096, letters),
};

/** The longest text of so many bytes in UTF-8. */
function ofBytes(maxBytes: number, { text }: Letters): string {
  const letters = [...text(maxBytes)];
  let bytes = letters.reduce((sum, letter) => sum + Buffer.byteLength(letter), 0);
  while (bytes > maxBytes) bytes -= Buffer.byteLength(letters.splice(-2, 1)[0] as string);
  return letters.join('');
}

/** Addresses that mail can be sent to, of 254 characters each. */
export const addressOf = (index: number) => {
  const local = `${'x'.repeat(60)}${String(index).padStart(4, '0')}`;
  return `${local}@${`${'y'.repeat(63)}.`.repeat(3).slice(0, 254 - local.length - 5)}.com`;
};

/** A public host name of 253 characters. */
export const domainOf = (index: number) =>
  `${String(index).padStart(57, 'z')}.${`${'y'.repeat(63)}.`.repeat(3)}com`.slice(-253);

/** The largest value that a field takes; `letters` are what its texts are made of. */
export function largest(schema: Schema, name: string, letters: Letters): unknown {
  const { const: constant, enum: values, anyOf = schema['oneOf'], type, format, maximum, maxLength, items } = schema;
  const { allOf, maxItems, pattern, examples } = schema;
  const types = [type].flat();
  if (constant !== undefined) return constant;
  if (values) return values.findLast((value: unknown) => value !== null);
  if (anyOf) return largest(anyOf.at(-1), name, letters);
  if (allOf) return Object.assign({}, ...allOf.map((part: Schema) => largest(part, name, letters)));
  if (name === 'headers' && schema['propertyNames']) return headers;
  if (types.includes('object')) return largestObject(schema, letters);
  if (types.includes('array')) return largestArray(items, maxItems, name, letters);
  if (types.includes('boolean')) return true;
  if (types.includes('integer') || types.includes('number')) return maximum ?? Number.MAX_SAFE_INTEGER;
  if (format === 'date-time') return lastTime;
  if (formed[name]) return formed[name](letters);
  if (pattern?.startsWith('^\\d')) return '9'.repeat(maxLength);
  // Of another form nobody knows the longest.
  if (pattern && examples) return examples[0];
  return letters.text(maxLength, multiLine.has(name));
}

function largestObject(schema: Schema, letters: Letters): Record<string, unknown> {
  // Metadata (contract 13): 50 keys of 40 characters, 500 characters each.
  if (schema['propertyNames']) {
    const keys = Array.from({ length: 50 }, (_, index) => `${index}`.padStart(40, 'k-._K'));
    return Object.fromEntries(keys.map((key) => [key, letters.text(500, true)]));
  }
  // Custom values are those of the fields that there are (test/contract/largest-fields.ts).
  const given = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
  const all = given.filter(([key]) => key !== 'fields');
  // A button has an address or data.
  const properties = all.filter(([key]) => key !== 'url' || !all.some(([other]) => other === 'data'));
  return Object.fromEntries(properties.map(([key, inner]) => [key, largest(inner, key, letters)]));
}

/** Headers of a webhook endpoint: ten, of 64 and 1,024 characters. */
const headers = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [`x-${index}`.padEnd(64, 'k'), 'v'.repeat(1024)]),
);

/** Nobody is named twice. */
const recipients = ['cc', 'bcc', 'to'];

function largestArray(items: Schema, maxItems: number | undefined, name: string, letters: Letters): unknown[] {
  if (items['enum']) return items['enum'];
  const length = maxItems ?? 100;
  if (name === 'ipAllowlist')
    return Array.from({ length }, (_, index) => `2001:db8::ffff:ffff:ffff:${index + 1000}/128`);
  if (name === 'changedFields') return changedFieldNames.slice(0, length);
  const others = recipients.indexOf(name);
  if (others >= 0) return Array.from({ length }, (_, index) => addressOf(index + others * length));
  return Array.from({ length }, () => largest(items, name, letters));
}
