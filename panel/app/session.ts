import { computed, signal } from '@preact/signals';
import type { Schema } from '../../client/index.ts';
import type { paths } from '../api/schema.ts';
import { go, place } from './route.ts';
import { keep, readKept } from './storage.ts';

export type Scope = Schema<'Scope'>;
export type Environment = Schema<'Environment'>;
export type Current = paths['/panel/sessions/current']['get']['responses'][200]['content']['application/json'];

/** Tells the tabs of this browser that somebody has signed in. The session is in a cookie, which no script reads. */
const mark = 'crm.signed-in';
/** Whether somebody has signed in and not out; the session may have ended since. */
export const isSignedIn = signal(localStorage.getItem(mark) !== null);
export const environment = signal<Environment>(readKept<Environment>('environment') ?? 'live');
/** Of the workspaces that somebody is in, the one that is open; undefined until the session has said which is its first. */
export const workspaceId = signal(readKept<number>('workspace'));
/** Who is signed in, where, and what they may; undefined until it has been asked. */
export const current = signal<Current | undefined>(undefined);

/** Returns the token that goes with the cookie; the session tells it. */
export const requestToken = (): string | undefined => current.value?.requestToken;

const scopes = computed(() => new Set<Scope>(current.value?.scopes ?? []));
export const may = (scope: Scope): boolean => scopes.value.has(scope);

/** Returns whether a record can be changed: an archived one cannot. */
export const mayChange = (scope: Scope, { archive }: { archive?: unknown }): boolean => may(scope) && !archive;

export function begin(workspace: number | undefined): void {
  current.value = undefined;
  isSignedIn.value = true;
  localStorage.setItem(mark, String(Date.now()));
  chooseWorkspace(workspace);
}

/** Why somebody has to sign in again, in the language that is shown. */
export const ended = signal<(() => string) | undefined>(undefined);

/** Forgets the session. With a reason it was lost: the page is remembered for after the next sign-in. Without, all tabs are signed out. */
export function end(reason?: () => string): void {
  if (!isSignedIn.value) return;
  isSignedIn.value = false;
  if (reason === undefined) localStorage.removeItem(mark);
  current.value = undefined;
  workspaceId.value = undefined;
  ended.value = reason;
  for (const name of ['workspace', 'profile', 'visited']) keep(name, undefined);
  // Somebody who signs out leaves nothing; a session that ends by itself keeps what was being written.
  if (reason === undefined) keep('drafts', undefined);
  if (reason !== undefined && !place.value.path.startsWith('/sign-in')) keep('return', location.hash);
  go('/sign-in');
}

addEventListener('storage', ({ key, newValue }) => {
  if (key !== mark) return;
  if (newValue === null) return end();
  // Another tab has signed in, perhaps somebody else.
  keep('workspace', undefined);
  location.reload();
});

export function chooseEnvironment(chosen: Environment): void {
  environment.value = chosen;
  keep('environment', chosen);
}

export function chooseWorkspace(id: number | undefined): void {
  workspaceId.value = id;
  keep('workspace', id);
}
