import { timeZone } from '../app/locale.ts';

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  clocks.set(zone, made);
  return made;
}

/** A time as a `datetime-local` field takes it, in the member's zone. */
export function localTime(at: string | Date, zone = timeZone.value): string {
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(new Date(at))
      .map(({ type, value }) => [type, value]),
  );
  return `${parts['year']?.padStart(4, '0')}-${parts['month']}-${parts['day']}T${parts['hour']}:${parts['minute']}`;
}

/** The day of a time in the member's zone, as a `date` field takes it. */
export const localDate = (at: string | Date, zone = timeZone.value): string => localTime(at, zone).slice(0, 10);

/**
 * The instant of what a `datetime-local` field holds, in the member's zone; null for nothing. `before` is the instant that was shown:
 * it stays as it is, seconds and the second of two equal hours included, unless the field says something else.
 */
export function instant(local: string | undefined, before?: string | null, zone = timeZone.value): string | null {
  if (local === undefined) return null;
  if (before && localTime(before, zone) === local.slice(0, 16)) return before;
  const asUtc = (text: string) => new Date(`${text.includes('T') ? text : `${text}T00:00`}Z`).getTime();
  const wanted = asUtc(local);
  const offsetAt = (time: number) => asUtc(localTime(new Date(time), zone)) - Math.floor(time / 60_000) * 60_000;
  // The offset of a guess may be that of the other side of a change.
  const guess = wanted - offsetAt(wanted);
  return new Date(wanted - offsetAt(guess)).toISOString();
}

/** The day of a field that is a day for everybody (`expectedCloseAt`, dates of invoices), as a `date` field takes it. */
export const dayOf = (at: string): string => at.slice(0, 10);

/** A day as the API takes it; null for nothing. `before` stays as it is where it is of the same day. */
export const dayInstant = (day: string | undefined, before?: string | null): string | null =>
  day === undefined ? null : before && dayOf(before) === day ? before : `${day}T00:00:00.000Z`;

/** The first instant of a day in the member's zone, so many days from today. */
export function dayStart(days = 0): Date {
  const today = new Date(`${localDate(new Date())}T00:00Z`);
  today.setUTCDate(today.getUTCDate() + days);
  return new Date(instant(today.toISOString().slice(0, 10)) as string);
}
