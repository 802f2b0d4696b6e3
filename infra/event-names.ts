import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventKinds } from '#lib/events/kinds.ts';

/** lib/events/names.ts: a test fails when it drifts. */
export const renderEventNames = () => `import type { EventKind } from './kinds.ts';

/**
 * The names of the event kinds (contract section 15), apart from their schemas, which only few functions carry. Made of
 * lib/events/kinds.ts by \`npm run event-names\`.
 */
export const eventKindNames = [
${Object.keys(eventKinds)
  .map((name) => `  '${name}',\n`)
  .join('')}] as const satisfies readonly EventKind[];
`;

if (import.meta.main) await writeFile(join(import.meta.dirname, '../lib/events/names.ts'), renderEventNames());
