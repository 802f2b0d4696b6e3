import { computed, signal } from '@preact/signals';
import type { Schema } from '../../client/index.ts';
import type { paths } from '../api/schema.ts';
import { go, place } from './route.ts';
import { keep, readKept } from './storage.ts';

export type Scope = Schema<'Scope'>;
export type Environment = Schema<'Environment'>;
export type Current = paths['/panel/sessions/current']['get']['responses'][200]['content']['application/json'];

/** The secret of the session; undefined for who is not signed in. */
export const secret = signal(readKept<string>('session'));
export const environment = signal<Environment>(readKept<Environment>('environment') ?? 'live');
/** Of the workspaces that somebody is in, the one that is open; undefined until the session has said which is its first. */
export const workspaceId = signal(readKept<number>('workspace'));
/** Who is signed in, where, and what they may; undefined until it has been asked. */
export const current = signal<Current | undefined>(undefined);

const scopes = computed(() => new Set<Scope>(current.value?.scopes ?? []));
export const may = (scope: Scope): boolean => scopes.value.has(scope);

export function begin(session: string, workspace: number | undefined): void {
  current.value = undefined;
  secret.value = session;
  keep('session', session);
  chooseWorkspace(workspace);
}

/** Why somebody has to sign in again. */
export const ended = signal<string | undefined>(undefined);

/** Forgets the session, and remembers the page for after the next sign-in. */
export function end(reason?: string): void {
  if (secret.value === undefined) return;
  secret.value = undefined;
  current.value = undefined;
  workspaceId.value = undefined;
  ended.value = reason;
  for (const name of ['session', 'workspace']) keep(name, undefined);
  // Somebody who signs out leaves nothing; a session that ends by itself keeps what was being written.
  if (reason === undefined) keep('drafts', undefined);
  if (reason !== undefined && !place.value.path.startsWith('/sign-in')) keep('return', location.hash);
  go('/sign-in');
}

export function chooseEnvironment(chosen: Environment): void {
  environment.value = chosen;
  keep('environment', chosen);
}

export function chooseWorkspace(id: number | undefined): void {
  workspaceId.value = id;
  keep('workspace', id);
}
