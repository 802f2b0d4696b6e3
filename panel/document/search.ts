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

/** Everything in the document that can be found. */
export function entriesOf(document: Document): Entry[] {
  const operations = allOperations(document).map(({ method, path, operation }): Entry => {
    const body = jsonOf(operation.requestBody)?.schema;
    const names = [
      ...parametersOf(document, operation).map(({ name }) => name),
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
  const pages = guides.map((guide): Entry => ({ kind: 'page', more: '', ...guide }));
  return [...pages, ...operations, ...events, ...errors, ...schemas];
}

/** What holds every word of a search, the closest first. */
export function find(entries: readonly Entry[], asked: string): Entry[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

function scoreOf(entry: Entry, words: readonly string[]): number {
  const weights = words.map((word) => weightOf(entry, word));
  if (weights.includes(0)) return 0;
  const said = entry.text.toLowerCase().split(/\W+/);
  const isSaid = words.every((word) => said.includes(word));
  return weights.reduce((sum, weight) => sum + weight) + (isSaid ? 30 : 0);
}

const ofKind = { page: 3, operation: 2, event: 2, error: 1, schema: 0 } as const;

function weightOf({ kind, method, title, text, more }: Entry, word: string): number {
  const [name, said] = [title.toLowerCase(), text.toLowerCase()];
  const weight =
    (name === word || method?.toLowerCase() === word ? 40 : 0) +
    (name.includes(word) ? 20 : 0) +
    (said.includes(word) ? 15 : 0) +
    (more.toLowerCase().includes(word) ? 5 : 0);
  return weight === 0 ? 0 : weight + ofKind[kind];
}
