import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventKinds, readBy } from '#lib/events/kinds.ts';

const list = Object.keys(eventKinds)
  .map((name) => `  '${name}',\n`)
  .join('');

const readers = Object.entries(readBy)
  .map(([noun, scope]) => `  ${noun}: '${scope}',\n`)
  .join('');

/** lib/events/names.ts: a test fails when it drifts. */
export const renderEventNames = () => `import type { Scope } from '#lib/core/scopes.ts';
import type { EventKind, EventNoun } from './kinds.ts';

/**
 * The names of the event kinds (contract section 15), and who reads them, apart from their schemas, which only few functions carry. Made of
 * lib/events/kinds.ts by \`npm run event-names\`.
 */
export const eventKindNames = [
${list}] as const satisfies readonly EventKind[];

/** By what events are about the scope that reads it. */
export const readBy: Readonly<Record<EventNoun, Scope>> = {
${readers}};
`;

/** cli/kinds.ts: the same for the command line, which knows the API alone. */
export const renderKindsOfCli = () => `import type { EventKind } from '../client/index.ts';

/** Every kind of event. Made of lib/events/kinds.ts by \`npm run event-names\`. */
export const eventKinds = [
${list}] as const satisfies readonly EventKind[];
`;

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  await writeFile(join(root, 'lib/events/names.ts'), renderEventNames());
  await writeFile(join(root, 'cli/kinds.ts'), renderKindsOfCli());
}
