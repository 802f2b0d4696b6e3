import { api } from '../app/api.ts';
import { go } from '../app/route.ts';
import { chooseEnvironment, chooseWorkspace, type Environment, end } from '../app/session.ts';
import { attempt } from '../app/toasts.ts';
import { openPage } from './pages.ts';

export function switchEnvironment(chosen: Environment): void {
  chooseEnvironment(chosen);
  // What is open there has another id here, or is nothing.
  if (openPage.value && !openPage.value.page.isShared) go(openPage.value.page.path);
}

export function switchWorkspace(id: number): void {
  chooseWorkspace(id);
  go('/home');
}

export async function signOut(): Promise<void> {
  // The cookie stays as long as the session has not ended.
  if (await attempt(() => api.delete('/panel/sessions/current'))) end();
}
