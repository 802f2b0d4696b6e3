import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messaging } from '#lib/core/channel.ts';
import type { Descriptor } from '#lib/core/channel-descriptor.ts';
import { fieldTypes } from '#lib/core/choices.ts';
import { meaningOf, scopes, scopesOf } from '#lib/core/scopes.ts';
import type { StoredField } from '#lib/entities/field.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { importedObjects } from '#lib/imports/objects/all.ts';
import { searchFieldOf } from '#lib/search/custom.ts';
import type { Kind } from '#lib/search/kinds.ts';
import { type Noun, nouns } from '#lib/search/nouns.ts';
import { loadRoutes } from './functions.ts';

const literal = (value: unknown) => `${JSON.stringify(value, null, 2)} as const`;

/** panel/api/lists.ts: what the page shows of channels, scopes and events. A test fails when it drifts. */
export async function renderPanelLists(): Promise<string> {
  const routes = (await loadRoutes()).map(({ route }) => route);
  const find = (method: string, path: string) => routes.find((route) => route.method === method && route.path === path);
  const channels = Object.values<Descriptor>(messaging).map(({ name, title, maxTextCharacters, kinds }) => {
    const seen = find('GET', `/v1/${name}/accounts`);
    const inbound = Object.fromEntries(Object.entries(kinds).map(([kind, allowed]) => [kind, allowed.inbound]));
    const seenBy = seen ? scopesOf(seen) : [];
    const isChanged = find('PATCH', `/v1/${name}/accounts/{id}`) !== undefined;
    const isDisconnected = find('POST', `/v1/${name}/accounts/{id}/disconnect`) !== undefined;
    return [name, { title, maxTextCharacters, inbound, seenBy, isChanged, isDisconnected }];
  });
  const ofKeys = scopes.map((scope) => {
    const { lets: text, isPowerful } = meaningOf(scope);
    return [scope, { text, isPowerful }];
  });
  return `/** What the page shows of lib/channels, lib/core/scopes.ts and lib/events/kinds.ts, and what its routes can do of each channel. Made by \`npm run panel-lists\`. */
export const messaging = ${literal(Object.fromEntries(channels))};

export const scopes = ${literal(Object.fromEntries(ofKeys))};

export const eventKinds = ${literal(Object.keys(eventKinds))};
`;
}

const declarationOf = ({ name, values, isList }: Kind) => ({
  kind: name,
  ...(values && { values }),
  ...(isList && { isList }),
});

const declared = (kinds: readonly (readonly [string, Kind])[]) =>
  Object.fromEntries(kinds.map(([name, kind]) => [name, declarationOf(kind)]));

/** panel/api/search-fields.ts: which fields searches take. */
export function renderSearchFields(): string {
  const kindsOf = ({ fields }: Noun) => Object.entries(fields).map(([name, { kind }]) => [name, kind] as const);
  const builtIn = Object.entries(nouns).map(([object, noun]) => [object, kindsOf(noun as unknown as Noun)] as const);
  const fields = builtIn.map(([object, kinds]) => [object, declared(kinds)]);
  const custom = fieldTypes.map(
    (type) => [type, searchFieldOf({ type, options: [], slug: '' } as never as StoredField).kind] as const,
  );
  const kinds = [...builtIn.flatMap(([, of]) => of), ...custom].map(([, kind]) => kind);
  // A list takes fewer than its kind; of tags and addresses there are only lists.
  const listsFirst = kinds.toSorted((a, b) => Number(b.isList ?? false) - Number(a.isList ?? false));
  const operators = Object.fromEntries(listsFirst.map(({ name, operators: taken }) => [name, taken]));
  return `/** The fields of lib/search/nouns.ts, and the kinds of the types of custom fields. Made by \`npm run panel-lists\`. */
export const searchFields = ${literal(Object.fromEntries(fields))};

export const kindsOfTypes = ${literal(declared(custom))};

/** The operators that each kind takes in filters; \`isSet\` and \`isNotSet\` fit all. */
export const operatorsOfKinds = ${literal(operators)};
`;
}

/** panel/api/import-targets.ts: what columns of files can become. */
export function renderImportTargets(): string {
  const targets = Object.entries(importedObjects).map(([object, { targets: of, matchKeys, matchesMetadata }]) => [
    object,
    { targets: Object.keys(of), matchKeys, matchesMetadata },
  ]);
  return `/** The targets of lib/imports, by the objects of imports. Made by \`npm run panel-lists\`. */
export const importTargets = ${literal(Object.fromEntries(targets))};
`;
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../panel/api');
  await writeFile(join(folder, 'lists.ts'), await renderPanelLists());
  await writeFile(join(folder, 'search-fields.ts'), renderSearchFields());
  await writeFile(join(folder, 'import-targets.ts'), renderImportTargets());
}
