import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { tools } from '#functions/mcp/tools/all.ts';
import { endpointsOf, nameOfValues } from '#lib/mcp/tool.ts';

/** Texts that the workspace, its operator or the system itself writes, of all that results show: no other text is believed. */
export const ownFields = [
  'accountName',
  'actorKeyId',
  'apiKeyId',
  'changedFields',
  'color',
  'currency',
  'defaultCurrency',
  'deliveryId',
  'dueDate',
  'eventId',
  'example',
  'feedUrl',
  'field',
  'floodWaitUntil',
  'from',
  'id',
  'instructions',
  'invoiceNumber',
  'issueDate',
  'key',
  'keyId',
  'language',
  'message',
  'model',
  'phoneMasked',
  'requestHeaders',
  'scopes',
  'secretHint',
  'threadId',
  'timestamp',
  'to',
  'truncated',
  'url',
  'userId',
];

interface Shape {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
}

/** Names of the fields that may hold any text. */
function textFields(schema: v.GenericSchema): Set<string> {
  const found = new Set<string>();
  const walk = (shape: Shape, name: string) => {
    for (const one of shape.anyOf ?? []) walk(one, name);
    if (shape.items) walk(shape.items, name);
    for (const [inner, of] of Object.entries(shape.properties ?? {})) walk(of, inner);
    if (typeof shape.additionalProperties === 'object') walk(shape.additionalProperties, name);
    const isAny = !shape.type && !shape.anyOf && !shape.enum && shape.const === undefined;
    if (isAny || ([shape.type].flat().includes('string') && !shape.enum)) found.add(name);
  };
  walk(toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'output' }) as Shape, '');
  return found;
}

/** The names of all fields of the tools' results that may hold a text. */
export const textsOfResults = (): Set<string> =>
  new Set(
    tools.flatMap((tool) =>
      endpointsOf(tool)
        .flatMap(({ route }) => [...textFields(route.response)])
        .map((name) => (name === 'fields' ? nameOfValues(tool) : name)),
    ),
  );

/** lib/mcp/untrusted-fields.ts: a test fails when it drifts. */
export function renderUntrustedFields(): string {
  const untrusted = [...textsOfResults()].filter((name) => !ownFields.includes(name) && !name.endsWith('At')).sort();
  return `/**
 * Fields of results in which people outside of the workspace may have written, or what they have sent: every text but those that
 * infra/untrusted-fields.ts names. Made of the tools' operations by \`npm run untrusted-fields\`.
 */
export const untrustedFields = [
${untrusted.map((name) => `  '${name}',\n`).join('')}];
`;
}

if (import.meta.main)
  await writeFile(join(import.meta.dirname, '../lib/mcp/untrusted-fields.ts'), renderUntrustedFields());
