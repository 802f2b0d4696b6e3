import { watch } from 'node:fs';
import { join } from 'node:path';
import { sourceFolders } from './build.ts';

const settleMs = 100;

/** Calls back when sources have changed and no more changes follow at once; never twice at a time. */
export function watchSources(onChange: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();
  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(onChange);
    }, settleMs);
  };
  for (const folder of sourceFolders) watch(join(import.meta.dirname, '../..', folder), { recursive: true }, schedule);
}
