import { computed, signal } from '@preact/signals';
import type { paths } from '../api/schema.ts';

/** The languages of the panel. A third one is a file in `texts/` and a line here and in `languages.ts`. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languageNames;

/** Locales that write a date in a fixed order; `language` leaves the order to the language. */
const dateForms = { language: undefined, dmy: 'en-GB', mdy: 'en-US', iso: 'sv-SE' } as const;

/** What a member has chosen; undefined where the browser decides. */
interface Preferences {
  language?: Language | undefined;
  /** An IANA name, like `Europe/Berlin`. */
  timeZone?: string | undefined;
  dateForm?: keyof typeof dateForms | undefined;
  theme?: 'system' | 'light' | 'dark' | undefined;
  /** Shows notifications of the browser. */
  notifies?: boolean | undefined;
}

const storedAs = 'crm.preferences';

function storedPreferences(): Preferences {
  try {
    return JSON.parse(localStorage.getItem(storedAs) ?? '{}') as Preferences;
  } catch {
    return {};
  }
}

/** The choices of whoever uses this browser; they outlast the session. */
export const preferences = signal<Preferences>(storedPreferences());

type Profile = paths['/panel/me']['get']['responses'][200]['content']['application/json'];

/** Shows the panel as a member has set it, and keeps that in the browser for the next visit. */
export function showAs({ language, timeZone, dateForm, theme, notifications }: Profile): void {
  preferences.value = {
    language: isLanguage(language ?? undefined) ? (language as Language) : undefined,
    timeZone: timeZone ?? undefined,
    dateForm,
    theme,
    notifies: notifications.browser,
  };
  localStorage.setItem(storedAs, JSON.stringify(preferences.value));
}

const isLanguage = (tag: string | undefined): tag is Language => tag !== undefined && tag in languageNames;
const baseOf = (tag: string) => tag.split('-')[0];

/** The chosen language, else the first of the browser's that the panel has, else English. */
export const language = computed<Language>(() => {
  const { language: chosen } = preferences.value;
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map(baseOf).find(isLanguage) ?? 'en';
});

/** The zone in which days and times are shown. */
export const timeZone = computed(
  () => preferences.value.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
);

/** How dates and numbers are written: as the browser has it (`en-GB`) where that fits the language. */
const tag = computed(() => navigator.languages.find((of) => baseOf(of) === language.value) ?? language.value);

const dates = (options: Intl.DateTimeFormatOptions) =>
  computed(() => new Intl.DateTimeFormat(tag.value, { timeZone: timeZone.value, ...options }));

/** Short dates, in the order that the member has chosen. */
const shortDates = (options: Intl.DateTimeFormatOptions = {}) =>
  computed(() => {
    const locale = dateForms[preferences.value.dateForm ?? 'language'];
    const form: Intl.DateTimeFormatOptions = locale
      ? { year: 'numeric', month: '2-digit', day: '2-digit' }
      : { dateStyle: 'medium' };
    return new Intl.DateTimeFormat(locale ?? tag.value, { timeZone: timeZone.value, ...form, ...options });
  });

const exact = dates({ dateStyle: 'full', timeStyle: 'medium' });
const longDay = dates({ dateStyle: 'full' });
const clock = dates({ timeStyle: 'short' });
const moment = dates({ dateStyle: 'medium', timeStyle: 'short' });
const mediumDay = shortDates();
// A day has no zone: its instant is its midnight in UTC.
const calendarDay = shortDates({ timeZone: 'UTC' });
const relative = computed(() => new Intl.RelativeTimeFormat(tag.value, { numeric: 'auto', style: 'long' }));
const plurals = computed(() => new Intl.PluralRules(language.value));

export const exactTime = (at: string): string => exact.value.format(new Date(at));
export const longDate = (at: string): string => longDay.value.format(new Date(at));
export const clockTime = (at: string): string => clock.value.format(new Date(at));
const shortDate = (at: string): string => mediumDay.value.format(new Date(at));
export const shortTime = (at: string): string =>
  (preferences.value.dateForm ?? 'language') === 'language'
    ? moment.value.format(new Date(at))
    : `${shortDate(at)} ${clockTime(at)}`;
/** The date of a day, like `expectedCloseAt`: the same for everybody. */
export const dayDate = (day: string): string => calendarDay.value.format(new Date(day));

/** Writes a date or time in the member's language and zone, in a form of the caller's. */
export const written = (at: string | Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(tag.value, { timeZone: timeZone.value, ...options }).format(new Date(at));

/** The countries by their two letters, with their names, in the order of these. */
export function countries(): (readonly [code: string, name: string])[] {
  const names = new Intl.DisplayNames(tag.value, { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters
    .flatMap((first) => letters.map((second) => `${first}${second}`))
    .flatMap((code) => {
      const isPresent = !noCountry.test(code) && new Intl.Locale(`und-${code}`).region === code;
      const name = isPresent ? names.of(code) : undefined;
      return name === undefined ? [] : [[code, name] as const];
    })
    .sort(([, one], [, other]) => one.localeCompare(other, tag.value));
}

/** Unions, outlying parts, and codes for tests, which browsers name too. */
const noCountry = /^(?:AC|C[PQ]|DG|E[AUZ]|IC|QO|TA|UN|X[AB]|ZZ)$/;

/** Writes a span relative to the present: `3 days ago`, `tomorrow`. */
export const inRelation = (value: number, unit: Intl.RelativeTimeFormatUnit): string =>
  relative.value.format(value, unit);

/** Writes a span relative to the present with its number: `in 1 week`. */
export const inNumbers = (value: number, unit: Intl.RelativeTimeFormatUnit): string =>
  new Intl.RelativeTimeFormat(tag.value, { style: 'long' }).format(value, unit);

/** Forms of numbers in the language by their options: a browser takes long to make one. */
const numberForms = computed(() => ({ locale: tag.value, made: new Map<string, Intl.NumberFormat>() }));

export function number(value: number, options?: Intl.NumberFormatOptions): string {
  const { locale, made } = numberForms.value;
  // Small counts are the same in every language of the panel.
  if (options === undefined && Number.isInteger(value) && Math.abs(value) < 1000) return String(value);
  const name = JSON.stringify(options ?? {});
  const form = made.get(name) ?? new Intl.NumberFormat(locale, options);
  made.set(name, form);
  return form.format(value);
}

/** The forms of a noun by the plural categories of a language; `other` fits where a form is missing. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** Returns a number with the form of its noun: `1 failure`, `2 failures`. */
export const counted = (value: number, forms: Forms): string =>
  `${number(value)} ${forms[plurals.value.select(value)] ?? forms.other}`;
