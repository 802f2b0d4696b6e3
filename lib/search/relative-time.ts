import { dayMs, hourMs, timestamp } from '#lib/core/clock.ts';
import type { Zone } from '#lib/core/zone.ts';

const form = /^(now|today|startOfWeek|startOfMonth|startOfYear)((?:[+-]\d{1,5}(?:h|d|w|mo|y))*)$/;

/** Whether a text is meant as a time relative to now, right or wrong. */
export const isRelative = (text: string): boolean => /^(now|today|startOf)/i.test(text);

/** `Date.UTC` takes year 1 for 1901. */
const firstMs = Date.parse('0001-01-01T00:00:00Z');

/**
 * Returns the time of `now`, `today`, `startOfWeek`, … with its offsets (`today+3d-1mo`), in ISO 8601; undefined for another form or a
 * time that no year of four digits has. Days, weeks, months, and years are steps in the calendar of the zone, hours are exact
 * (revision 1.4, section 33).
 */
export function relativeTime(text: string, nowMs: number, zone: Zone): string | undefined {
  const [found, anchor = '', offsets = ''] = form.exec(text) ?? [];
  if (found === undefined) return undefined;
  let atMs = anchor === 'now' ? nowMs : zone.instant(startOf(anchor, zone.wall(nowMs)));
  for (const [, sign, amount, unit = ''] of offsets.matchAll(/([+-])(\d+)([a-z]+)/g)) {
    const by = Number(`${sign}${amount}`);
    atMs = unit === 'h' ? atMs + by * hourMs : zone.instant(stepped(zone.wall(atMs), by, unit));
    if (!(atMs >= firstMs && atMs < Date.UTC(9999, 11))) return undefined;
  }
  return timestamp(new Date(atMs));
}

/** Weeks begin on Monday. */
function startOf(anchor: string, wallMs: number): number {
  const wall = new Date(wallMs);
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  const midnightMs = Date.UTC(year, month, day);
  if (anchor === 'startOfWeek') return midnightMs - ((wall.getUTCDay() + 6) % 7) * dayMs;
  if (anchor === 'startOfMonth') return Date.UTC(year, month, 1);
  return anchor === 'startOfYear' ? Date.UTC(year, 0, 1) : midnightMs;
}

/** A month that is too short gives its last day. */
function stepped(wallMs: number, by: number, unit: string): number {
  if (unit === 'd' || unit === 'w') return wallMs + by * dayMs * (unit === 'w' ? 7 : 1);
  const date = new Date(wallMs);
  const day = date.getUTCDate();
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + by * (unit === 'y' ? 12 : 1);
  const [year, month] = [Math.floor(months / 12), ((months % 12) + 12) % 12];
  date.setUTCFullYear(year, month + 1, 0);
  return date.setUTCFullYear(year, month, Math.min(day, date.getUTCDate()));
}
