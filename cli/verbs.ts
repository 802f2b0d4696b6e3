import type { Verb } from './verb.ts';
import { api } from './verbs/api.ts';
import { listen } from './verbs/listen.ts';
import { whoami } from './verbs/whoami.ts';

/** By their names, in the order of the help. */
export const verbs: ReadonlyMap<string, Verb> = new Map([
  ['listen', listen],
  ['api', api],
  ['whoami', whoami],
]);
