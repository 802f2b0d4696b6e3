import type { paths } from '../api/schema.ts';
import { api } from './api.ts';
import { type Language, languageNames, prefer } from './locale.ts';

type Profile = paths['/panel/me']['get']['responses'][200]['content']['application/json'];

/** Shows the panel as a member has set it, and keeps that in the browser for the next visit. */
export function apply({ language, timeZone, dateForm, theme, notifications }: Profile): void {
  prefer({
    language: language !== null && language in languageNames ? (language as Language) : undefined,
    timeZone: timeZone ?? undefined,
    dateForm,
    theme,
    notifies: notifications.browser,
  });
}

/** Asks for the settings of the member who is signed in and applies them. Without an answer the last ones stay. */
export async function takeProfile(): Promise<void> {
  try {
    apply(await api.get('/panel/me'));
  } catch {
    // The page works without.
  }
}
