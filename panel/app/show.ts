import { signal } from '@preact/signals';

/** Ticks, for what is said relative to the present. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 20_000);

/** What reads it is shown again with each tick; between two the clock is ahead of the last. */
const present = () => Math.max(now.value, Date.now());

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'long' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

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
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return Math.abs(seconds) < 60 && seconds > 10 ? 'in a moment' : 'just now';
}

export const exactTime = (at: string): string => exact.format(new Date(at));
export const longDate = (at: string): string => day.format(new Date(at));
export const clockTime = (at: string): string => clock.format(new Date(at));
export const shortTime = (at: string): string => moment.format(new Date(at));
export const shortDate = (at: string): string => date.format(new Date(at));

export const count = (value: number): string => new Intl.NumberFormat().format(value);
/** `1 failure`, `2 failures` */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export const percent = (value: number): string =>
  new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 }).format(value);

export function money(value: number, currency: string): string {
  try {
    return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(value);
  } catch {
    // A code that nobody knows.
    return `${count(value)} ${currency}`;
  }
}

const sizes = ['byte', 'kilobyte', 'megabyte'] as const;

export function fileSize(bytes: number): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const format = {
    style: 'unit',
    unit: sizes[step] as string,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(undefined, format).format(bytes / 1000 ** step);
}

/** What somebody is called, as far as it is known. */
export const nameOf = (of: {
  id: number;
  name?: string | null;
  username?: string | null;
  email?: string | null;
}): string => of.name ?? (of.username ? `@${of.username}` : undefined) ?? of.email ?? `#${of.id}`;

/** `in_progress` → `In progress` */
export const worded = (key: string): string => {
  const words = key
    .replaceAll(/[_.]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};
