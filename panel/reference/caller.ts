import { createContext } from 'preact';
import type { Environment } from '../app/session.ts';

/** As whom a call is tried. */
export interface Caller {
  /** Where it acts; undefined while that is not known. */
  environment: Environment | undefined;
  /** Has a key, which can be changed here; a session of the panel has none. */
  key?: { value: string; change(to: string): void };
  send(request: Request): Promise<Response>;
}

export const Calling = createContext<Caller>({
  environment: undefined,
  send: () => Promise.reject(new Error('nobody calls')),
});
