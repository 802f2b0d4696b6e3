import { expect, test } from 'vitest';
import { zoneOf } from '#lib/core/zone.ts';
import { relativeTime } from '#lib/search/relative-time.ts';

test.each([
  ['UTC', '2026-11-28T20:17:19Z', 'now', '2026-11-28T20:17:19Z'],
  ['UTC', '2026-11-28T20:17:19Z', 'today', '2026-11-28T00:00:00Z'],
  ['UTC', '2026-11-28T20:17:19Z', 'startOfWeek', '2026-11-23T00:00:00Z'],
  ['UTC', '2026-11-22T20:17:19Z', 'startOfWeek', '2026-11-16T00:00:00Z'],
  ['UTC', '2026-11-28T20:17:19Z', 'startOfMonth-1mo', '2026-10-01T00:00:00Z'],
  ['UTC', '2026-11-28T20:17:19Z', 'startOfYear+1y', '2027-01-01T00:00:00Z'],
  ['UTC', '2026-11-28T20:17:19Z', 'now-4h', '2026-11-28T16:17:19Z'],
  ['UTC', '2026-11-28T20:17:19Z', 'today-2w+1d', '2026-11-15T00:00:00Z'],
  ['UTC', '2026-01-31T10:00:00Z', 'now+1mo', '2026-02-28T10:00:00Z'],
  ['UTC', '2026-01-31T10:00:00Z', 'now+1mo+1mo', '2026-03-28T10:00:00Z'],
  ['UTC', '2026-03-31T10:00:00Z', 'now-13mo', '2025-02-28T10:00:00Z'],
  ['UTC', '2028-02-29T10:00:00Z', 'now+1y', '2029-02-28T10:00:00Z'],
  ['Asia/Tokyo', '2026-11-28T20:17:19Z', 'today', '2026-11-28T15:00:00Z'],
  ['America/New_York', '2026-11-28T02:00:00Z', 'today', '2026-11-27T05:00:00Z'],
  // The clocks go forward on 8 March and back on 1 November: a day is a day on the wall, an hour is an hour.
  ['America/New_York', '2026-03-07T17:00:00Z', 'now+1d', '2026-03-08T16:00:00Z'],
  ['America/New_York', '2026-03-07T17:00:00Z', 'now+24h', '2026-03-08T17:00:00Z'],
  ['America/New_York', '2026-03-07T07:30:00Z', 'now+1d', '2026-03-08T07:30:00Z'],
  ['America/New_York', '2026-10-31T05:30:00Z', 'now+1d', '2026-11-01T05:30:00Z'],
  ['America/New_York', '2026-11-01T16:00:00Z', 'today+1d', '2026-11-02T05:00:00Z'],
  // In Havana the clocks go forward at midnight: that day begins at one.
  ['America/Havana', '2026-03-08T16:00:00Z', 'today', '2026-03-08T05:00:00Z'],
])('in %s at %s, %s is %s', (zone, now, text, expected) => {
  expect(relativeTime(text, Date.parse(now), zoneOf(zone))).toBe(expected);
});

test.each(['today +1d', 'Today', 'today+d', 'now+1', 'now+1m', 'startOfDay', 'now+99999y', 'now-99999mo'])(
  '%s is no time',
  (text) => {
    expect(relativeTime(text, Date.parse('2026-11-28T20:17:19Z'), zoneOf('UTC'))).toBeUndefined();
  },
);
