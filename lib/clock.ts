/** ISO 8601 in UTC to the second, as every timestamp of the API is written (contract 0.1). */
export function timestamp(date: Date = new Date()): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** A timestamp (or now) moved by so many milliseconds. */
export function shifted(from: string | Date, byMs: number): string {
  return timestamp(new Date(new Date(from).getTime() + byMs));
}

/** `2026-11-20` */
export const dayOf = (time: string) => time.slice(0, 10);
/** `2026-11` */
export const monthOf = (time: string) => time.slice(0, 7);

/** What is counted by month is read together: what is before 2000 or after 2099 is counted in one month each. */
export const firstCountedMonth = '1999-12';
const lastCountedMonth = '2100-01';

/** The month in which a time is counted. */
export function countedMonth(time: string): string {
  const month = monthOf(time);
  if (month < firstCountedMonth) return firstCountedMonth;
  return month > lastCountedMonth ? lastCountedMonth : month;
}

/** The days that a range touches: `2026-11-20`. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  // In milliseconds, because the day after 9999-12-31 sorts before it as text.
  for (let day = Date.parse(`${dayOf(from)}T00:00:00Z`); day <= Date.parse(to); day += dayMs)
    days.push(dayOf(timestamp(new Date(day))));
  return days;
}

/** The next midnight in UTC, when daily limits begin anew. */
export const nextDay = (now: Date = new Date()): string => `${shifted(now, dayMs).slice(0, 10)}T00:00:00Z`;

/** The later of two timestamps; null is before all. */
export const latest = (a: string | null, b: string | null) => (a !== null && b !== null && a > b ? a : (b ?? a));

/** Seconds since 1970, for DynamoDB's TTL. */
export function epochSeconds(date: Date = new Date()): number {
  return Math.floor(date.getTime() / 1000);
}

export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
