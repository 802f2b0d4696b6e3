import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after the next write, or when it is time to look anyway. */
type NextChange = (signal: AbortSignal) => Promise<void>;

export interface Changes {
  /** Every reader has a listener of its own, which misses nothing between two calls. */
  listen(): NextChange;
  close(): void;
}

const pollMs = 50;
const lookAnywayMs = 1000;

/** For a DynamoDB that notifies nobody when it is written to. */
export const polledChanges: Changes = {
  listen: () => (signal) => sleep(pollMs, undefined, { signal }).catch(() => {}),
  close: () => {},
};

/** The engine appends every transaction to its write-ahead log: that file shows writes at once and costs nothing when idle. */
export function watchedChanges(folder: string): Changes {
  const waiting = new Set<() => void>();
  let version = 0;
  const watcher = watch(folder, (_event, file) => {
    if (!file?.endsWith('-wal')) return;
    version += 1;
    for (const wake of waiting) wake();
  });
  const nextWake = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, lookAnywayMs);
      signal.addEventListener('abort', wake);
      waiting.add(wake);
    });
  return {
    listen() {
      let seen = version;
      return async (signal) => {
        if (version === seen && !signal.aborted) await nextWake(signal);
        seen = version;
      };
    },
    close: () => watcher.close(),
  };
}
