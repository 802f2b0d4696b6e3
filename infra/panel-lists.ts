import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messaging } from '#lib/core/channel.ts';
import type { Descriptor } from '#lib/core/channel-descriptor.ts';
import { meaningOf, scopes } from '#lib/core/scopes.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { scopesOf } from '#lib/http/route.ts';
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

if (import.meta.main) await writeFile(join(import.meta.dirname, '../panel/api/lists.ts'), await renderPanelLists());
