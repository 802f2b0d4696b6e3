import { api } from './api.ts';
import { showAs } from './locale.ts';

/** Asks for the settings of the member who is signed in and applies them. Without an answer the last ones stay. */
export async function takeProfile(): Promise<void> {
  try {
    showAs(await api.get('/panel/me'));
  } catch {
    // The page works without.
  }
}
