import { inject } from 'vitest';
import { world } from '#test/harness.ts';

/** Where the system is that a test runs against: the functions in its process, or a whole one. */
export function place(name: 'baseUrl' | 'dataDir' | 'providerUrl'): string {
  const here = world();
  if (!here) return inject(name);
  return { baseUrl: here.api.url, dataDir: here.dataDir, providerUrl: here.providerUrl }[name];
}

/** The key of the data centres at which Telegram users log in. */
export const serverKey = () => world()?.serverKey ?? inject('serverKey');
