import { signal } from '@preact/signals';
import { inRelation, number } from './locale.ts';
import { t } from './texts.ts';

/** Ticks, for what is said relative to the present. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 20_000);

/** What reads it is shown again with each tick; between two the clock is ahead of the last. */
const present = () => Math.max(now.value, Date.now());

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `3 minutes ago`, `tomorrow`. */
export function relativeTime(at: string, from = present()): string {
  const seconds = (new Date(at).getTime() - from) / 1000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return inRelation(Math.trunc(seconds / length), unit);
  }
  return Math.abs(seconds) < 60 && seconds > 10 ? t.parts.inAMoment : t.parts.justNow;
}

export { clockTime, counted, dayDate, exactTime, longDate, shortTime } from './locale.ts';

export const count = (value: number): string => number(value);

export const percent = (value: number): string => number(value, { style: 'percent', maximumFractionDigits: 0 });

export function money(value: number, currency: string): string {
  try {
    return number(value, { style: 'currency', currency });
  } catch {
    // A code that nobody knows.
    return `${count(value)} ${currency}`;
  }
}

const sizes = ['byte', 'kilobyte', 'megabyte'] as const;

export function fileSize(bytes: number): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return number(bytes / 1000 ** step, {
    style: 'unit',
    unit: sizes[step] as string,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  });
}

/** Spaces, and characters that show nothing: a name of these alone is an empty row. */
const blank = /^[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]*$/u;
const seen = (text: string | null | undefined) => (text && !blank.test(text) ? text : undefined);

/** What somebody is called, as far as it is known and can be seen. */
export const nameOf = (of: {
  id: number;
  name?: string | null;
  username?: string | null;
  email?: string | null;
}): string => seen(of.name) ?? (seen(of.username) ? `@${of.username}` : undefined) ?? seen(of.email) ?? `#${of.id}`;

/** The word for a key of the API in the member's language: `in_progress` → `In progress`. */
export const worded = (key: string): string => {
  const known = (t.words as Readonly<Record<string, string>> | undefined)?.[key.toLowerCase()];
  if (known !== undefined) return known;
  const words = key
    .replaceAll(/[_.]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** The length of a text as the API counts it: in code points, so that an emoji is one. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
};
