import { dayMs, dayOf, hourMs, timestamp } from './clock.ts';

export const defaultZone = 'UTC';

/** Returns the functions that tell the days of a zone. */
export function zoneOf(name: string) {
  const format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset', hour: 'numeric' });
  const offsetAt = (atMs: number): number => {
    const [, sign, hours, minutes = 0, seconds = 0] =
      /GMT([+-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(format.format(atMs)) ?? [];
    return hours === undefined
      ? 0
      : Number(`${sign}1`) * (Number(hours) * hourMs + Number(minutes) * 60_000 + Number(seconds) * 1000);
  };
  const dayAt = (atMs: number): string => dayOf(timestamp(new Date(atMs + offsetAt(atMs))));
  /** Offsets change at full minutes, and to ask for one takes longer than to remember it. */
  const known = new Map<string, string>();
  return {
    /** Returns the day of a time, as in `2026-11-20`. */
    day(at: string): string {
      if (name === defaultZone) return dayOf(at);
      const minute = at.slice(0, 16);
      const day = known.get(minute) ?? dayAt(Date.parse(at));
      known.set(minute, day);
      return day;
    },
    /** Returns what the clock on the wall shows at a time, in milliseconds as if it were UTC. */
    wall: (atMs: number): number => atMs + offsetAt(atMs),
    /** Returns when the wall shows this, the first time of two; a time that is left out is as much later as the clocks are. */
    instant(wallMs: number): number {
      const [before, after] = [-dayMs, dayMs].map((byMs) => wallMs - offsetAt(wallMs + byMs)) as [number, number];
      const shown = [before, after].filter((atMs) => atMs + offsetAt(atMs) === wallMs);
      return shown.length > 0 ? Math.min(...shown) : before;
    },
    /** Returns the first moment of a day, which is not at 00:00 where the clocks change at midnight. */
    start(day: string): string {
      const midnightMs = Date.parse(`${day}T00:00:00Z`);
      const [before, after] = [-dayMs, dayMs].map((byMs) => midnightMs - offsetAt(midnightMs + byMs)) as [
        number,
        number,
      ];
      const first = [Math.min(before, after), Math.max(before, after)].find((atMs) => dayAt(atMs) === day);
      return timestamp(new Date(first ?? after));
    },
    /** Returns the moment of an hour of a day; where the clocks leave the hour out, what comes in its place. */
    hour(day: string, hour: number): string {
      const wantedMs = Date.parse(`${day}T00:00:00Z`) + hour * hourMs;
      const both = [-dayMs, dayMs].map((byMs) => wantedMs - offsetAt(wantedMs + byMs));
      const found = both.find((atMs) => atMs + offsetAt(atMs) === wantedMs);
      return timestamp(new Date(found ?? Math.max(...both)));
    },
  };
}
export type Zone = ReturnType<typeof zoneOf>;
