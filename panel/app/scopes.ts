import { scopes } from '../api/lists.ts';
import type { Scope } from './session.ts';

export const allScopes = Object.keys(scopes) as Scope[];

/** What a scope lets a key do. */
export const textOf = (scope: Scope): string => scopes[scope].text;

/** What can do harm that is hard to mend: given only to who needs it. */
export const isPowerful = (scope: Scope): boolean => scopes[scope].isPowerful;
