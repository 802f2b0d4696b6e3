import { counted, inNumbers, inRelation } from '../../app/locale.ts';
import { dayDate, shortTime } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { dayInstant, instant, localTime } from '../local-time.ts';

/** `today-30d`: anchor and offsets. */
const relative = /^(now|today|startOfWeek|startOfMonth|startOfYear)((?:[+-]\d{1,5}(?:h|d|w|mo|y))*)$/;
const offset = /([+-])(\d{1,5})(h|d|w|mo|y)/g;

export const units = ['h', 'd', 'w', 'mo', 'y'] as const;
export type Unit = (typeof units)[number];
const unitNames = { h: 'hour', d: 'day', w: 'week', mo: 'month', y: 'year' } as const;

export interface Span {
  amount: number;
  unit: Unit;
  isPast: boolean;
}

/** The relative times that can be chosen as they are. */
export const starts = [
  'now',
  'today',
  'startOfWeek',
  'startOfMonth',
  'startOfYear',
  'startOfWeek-1w',
  'startOfMonth-1mo',
  'startOfYear-1y',
] as const;

export const isRelative = (value: unknown): boolean => typeof value === 'string' && relative.test(value);

/** Returns the span of `today-30d` or `now-4h`; undefined for any other time. */
export function spanOf(value: unknown): Span | undefined {
  const [found, sign, amount, unit] = /^(?:now|today)([+-])(\d{1,5})(h|d|w|mo|y)$/.exec(String(value)) ?? [];
  return found === undefined ? undefined : { amount: Number(amount), unit: unit as Unit, isPast: sign === '-' };
}

/** Returns a span as the API takes it: hours from now, anything else from today. */
export const spanText = ({ amount, unit, isPast }: Span): string =>
  `${unit === 'h' ? 'now' : 'today'}${isPast ? '-' : '+'}${amount}${unit}`;

/** Returns a time of a filter in words: `30 days ago`, `start of this month`, `20 Nov 2026`. */
export function timeText(value: unknown, isDay: boolean): string {
  if (typeof value !== 'string') return '';
  const [found, anchor = '', offsets = ''] = relative.exec(value) ?? [];
  if (found !== undefined) return relativeText(value, anchor, offsets);
  if (Number.isNaN(Date.parse(value))) return value;
  if (isDay || /^\d{4}-\d{2}-\d{2}$/.test(value)) return dayDate(value);
  const local = localTime(value);
  return /T(00:00|23:59)$/.test(local) ? dayDate(local.slice(0, 10)) : shortTime(value);
}

function relativeText(value: string, anchor: string, offsets: string): string {
  const known = (t.filters.starts as Readonly<Record<string, string>>)[value];
  if (known !== undefined) return known;
  if (value === 'today') return inRelation(0, 'day');
  const span = spanOf(value);
  // "Next week" would be any day of it.
  const written = span?.unit === 'd' ? inRelation : inNumbers;
  if (span) return written(span.isPast ? -span.amount : span.amount, unitNames[span.unit]);
  let text = relativeText(anchor, anchor, '');
  for (const [, sign, amount, unit] of offsets.matchAll(offset)) {
    const spelled = counted(Number(amount), t.filters.spans[unit as Unit]);
    text = sign === '+' ? t.filters.plus(text, spelled) : t.filters.minus(text, spelled);
  }
  return text;
}

/** Returns the day of a time of a filter, as a `date` field takes it. */
export function dayIn(value: unknown, isDay: boolean): string {
  if (typeof value !== 'string' || isRelative(value) || Number.isNaN(Date.parse(value))) return '';
  return isDay || value.length === 10 ? value.slice(0, 10) : localTime(value).slice(0, 10);
}

const secondMs = 1000;

/** Returns a day as a filter of a field takes it: its first moment, or its last one. */
export function timeOfDay(day: string, isDay: boolean, isEnd: boolean): string | undefined {
  if (day === '') return undefined;
  if (isDay) return day;
  if (!isEnd) return instant(day) ?? undefined;
  const next = dayInstant(day) as string;
  const following = new Date(Date.parse(next) + 86_400_000).toISOString().slice(0, 10);
  return new Date(Date.parse(instant(following) as string) - secondMs).toISOString();
}
