import { allOperations, type Document, fieldsOf, jsonOf, listedIn, parametersOf } from './document.ts';

/** Something that can be found, and where it stands. */
export interface Entry {
  kind: 'operation' | 'event' | 'error' | 'schema' | 'page';
  /** `GET` of an operation. */
  method?: string;
  title: string;
  text: string;
  /** `/operations/contactsList` */
  place: string;
  /** What is found besides, of less weight. */
  more: string;
}

/** What stands on pages of their own, besides what the document has many of. */
export const guides = [
  { place: '/errors', title: 'Errors', text: 'The envelope of an error, every status and every reason' },
  { place: '/limits', title: 'Limits', text: 'Requests per minute and what each field takes' },
  { place: '/mcp', title: 'AI agents (MCP)', text: 'Connect Claude, Cursor, VS Code or a script' },
  { place: '/changelog', title: 'Changelog', text: 'What has changed, by revision' },
] as const;

/** What the pages answer besides, with other words for it. */
const topics = [
  {
    place: '/home',
    title: 'Paging',
    text: 'Lists come page by page: pass nextCursor as after until hasMore is false',
    more: 'pagination',
  },
  {
    place: '/home',
    title: 'Authentication',
    text: 'A call carries its key: Authorization: Bearer csk_…',
    more: 'login token header api',
  },
  {
    place: '/home',
    title: 'Idempotency',
    text: 'An Idempotency-Key makes a write safe to repeat',
    more: 'retry safely twice',
  },
  {
    place: '/events',
    title: 'Webhook signatures',
    text: 'Verify that a webhook is from here, by its signature and your secret',
    more: 'check hmac sha256 whsec',
  },
  {
    place: '/limits',
    title: 'Rate limit',
    text: 'Requests per minute of a key: 429 and Retry-After',
    more: 'throttle quota too many requests',
  },
] as const;

/** Everything in the document that can be found. */
export function entriesOf(document: Document): Entry[] {
  const operations = allOperations(document).map(({ method, path, operation }): Entry => {
    const body = jsonOf(operation.requestBody)?.schema;
    const names = [
      ...parametersOf(document, operation).flatMap(({ name, description = '' }) => [name, description]),
      ...(body ? [...fieldsOf(document, body)].map(({ place }) => place) : []),
    ];
    const { operationId, summary, description = '' } = operation;
    const place = `/operations/${operationId}`;
    return {
      kind: 'operation',
      method,
      title: path,
      text: summary,
      place,
      more: `${operationId} ${description} ${names.join(' ')}`,
    };
  });
  const events = Object.entries(document.webhooks).map(([kind, { post }]): Entry => {
    const { summary, description = '' } = post;
    return { kind: 'event', title: kind, text: summary, place: `/events/${kind}`, more: description };
  });
  const reasons = Object.values(document.components.responses).flatMap(({ description }) => listedIn(description));
  const errors = [...new Map(reasons.map((one) => [one.name, one])).values()].map(
    ({ name, text }): Entry => ({ kind: 'error', title: name, text, place: `/errors/${name}`, more: '' }),
  );
  const schemas = Object.entries(document.components.schemas).map(
    ([name, { description = '', properties = {} }]): Entry => ({
      kind: 'schema',
      title: name,
      text: description,
      place: `/schemas/${name}`,
      more: Object.keys(properties).join(' '),
    }),
  );
  const pages = [...topics, ...guides].map((guide): Entry => ({ kind: 'page', more: '', ...guide }));
  return [...pages, ...operations, ...events, ...errors, ...schemas];
}

/** Words that mean the same here: what is asked by one of them is found by all. */
const synonyms: readonly (readonly string[])[] = [
  ['pagination', 'paging', 'cursor'],
  ['signature', 'verify', 'sign', 'signed', 'signing', 'hmac'],
  ['schedule', 'later', 'runat', 'delay'],
  ['rate', 'throttle', '429'],
  ['find', 'search', 'lookup'],
  ['csv', 'export', 'download'],
  ['erase', 'erasure', 'gdpr'],
  ['delete', 'remove', 'erase'],
  ['auth', 'authentication', 'login', 'bearer', 'authorization'],
  ['mail', 'email', 'e-mail'],
  ['twitter', 'tweet'],
  ['customer', 'person', 'lead', 'contact'],
  ['organization', 'company', 'companies'],
  ['bulk', 'batch', 'import'],
  ['hook', 'webhook', 'callback'],
  ['retry', 'resend', 'replay'],
  ['idempotent', 'idempotency'],
  ['claude', 'mcp', 'llm', 'chatgpt'],
  ['send', 'queue'],
];

const empty = new Set(
  'a an the how to do does i can we is are of for in on by with my me it what which where when get'.split(' '),
);

/** The words of a search that say something, each with those that mean the same. */
function wordsOf(asked: string): string[][] {
  const words = asked
    .toLowerCase()
    .split(/[\s?!,;]+/)
    .filter(Boolean);
  const telling = words.filter((word) => !empty.has(word));
  return (telling.length > 0 ? telling : words).map((word) => {
    const one = word.length > 4 ? word.replace(/(?<!s)s$/, '') : word;
    return [one, ...new Set(synonyms.filter((same) => same.includes(one)).flat())];
  });
}

/** What holds every word of a search, the closest first; where nothing does, what holds the most of them. */
export function find(entries: readonly Entry[], asked: string): Entry[] {
  const words = wordsOf(asked);
  const scored = entries.map((entry) => ({ entry, ...scoreOf(entry, words) }));
  const most = Math.max(1, ...scored.map(({ held }) => held));
  return scored
    .filter(({ held }) => held === most)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** Returns whether something has all words of a search. */
export const hasAll = (entry: Entry, asked: string): boolean => {
  const words = wordsOf(asked);
  return scoreOf(entry, words).held === words.length;
};

function scoreOf(entry: Entry, words: readonly (readonly string[])[]): { held: number; score: number } {
  const weights = words.map(([word = '', ...same]) =>
    // What was typed counts for more than what means the same.
    Math.max(weightOf(entry, word) * 1.5, ...same.map((other) => weightOf(entry, other))),
  );
  const said = entry.text.toLowerCase().split(/\W+/);
  const isSaid = words.every((same) => same.some((word) => said.includes(word)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return { held: weights.filter((weight) => weight > 0).length, score: sum + (isSaid ? 60 : 0) };
}

const ofKind = { page: 3, operation: 2, event: 2, error: 1, schema: 0 } as const;

function weightOf({ kind, method, title, text, more }: Entry, word: string): number {
  const [name, said] = [title.toLowerCase(), text.toLowerCase()];
  const weight =
    (name === word || method?.toLowerCase() === word ? 40 : 0) +
    (name.includes(word) ? 20 : 0) +
    (said.includes(word) ? 15 : 0) +
    (more.toLowerCase().includes(word) ? 5 : 0) +
    (more.toLowerCase().split(/\W+/).includes(word) ? 10 : 0);
  return weight === 0 ? 0 : weight + ofKind[kind];
}
