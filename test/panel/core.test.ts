import { beforeAll, expect, test, vi } from 'vitest';
import { shortcutKey } from '#panel/app/keys.ts';

beforeAll(() => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
});

const times = () => import('#panel/parts/local-time.ts');

test.each([
  ['g', 'KeyG', 'g'],
  ['G', 'KeyG', 'g'],
  ['п', 'KeyG', 'g'],
  ['Ш', 'KeyI', 'i'],
  ['ι', 'KeyI', 'i'],
  ['z', 'KeyY', 'z'],
  ['.', 'Slash', '/'],
  [',', 'Slash', '?'],
  ['/', 'Digit7', '/'],
  ['-', 'Slash', '-'],
  ['Enter', 'Enter', 'Enter'],
])('the key %s at %s is the shortcut %s', (key, code, shortcut) => {
  expect(shortcutKey({ key, code })).toBe(shortcut);
});

const newYork = 'America/New_York';

test.each([
  ['2026-11-01T06:30:15.000Z', newYork, 'the second 01:30 of the fall-back night'],
  ['2026-11-01T05:30:00.000Z', newYork, 'the first 01:30 of the fall-back night'],
  ['2026-07-01T12:00:59.999Z', 'Asia/Tokyo', 'a time with seconds'],
])('a field keeps %s in %s, %s', async (at, zone) => {
  const { instant, localTime } = await times();
  expect(instant(localTime(at, zone), at, zone)).toBe(at);
});

test.each([
  ['2026-11-28T09:00', newYork, '2026-11-28T14:00:00.000Z'],
  ['2026-06-28T09:00', newYork, '2026-06-28T13:00:00.000Z'],
  ['2026-03-08T03:30', newYork, '2026-03-08T07:30:00.000Z'],
  ['2026-11-28T09:00', 'Asia/Kolkata', '2026-11-28T03:30:00.000Z'],
  ['2026-11-28', 'Asia/Tokyo', '2026-11-27T15:00:00.000Z'],
])('%s in %s is the instant %s', async (local, zone, at) => {
  const { instant } = await times();
  expect(instant(local, undefined, zone)).toBe(at);
});

test.each(['2026-11-30T00:00:00.000Z', '2026-11-30T17:00:00.000Z'])('the day of %s stays as it is', async (at) => {
  const { dayInstant, dayOf } = await times();
  expect(dayOf(at)).toBe('2026-11-30');
  expect(dayInstant(dayOf(at), at)).toBe(at);
  expect(dayInstant('2026-12-01', at)).toBe('2026-12-01T00:00:00.000Z');
});

test.each([
  [{ id: 7, name: '\u3164', username: 'ann' }, '@ann'],
  [{ id: 7, name: ' \u200b', username: null, email: null }, '#7'],
  [{ id: 7, name: '田中' }, '田中'],
])('a person %j is called %s', async (person, name) => {
  const { nameOf } = await import('#panel/app/show.ts');
  expect(nameOf(person)).toBe(name);
});

test('a text is counted by code points', async () => {
  const { lengthOf } = await import('#panel/app/show.ts');
  expect(lengthOf('a👍🏽é')).toBe(4);
});
