import { expect, test } from 'vitest';
import { archived } from '#infra/admin/archive/archive.ts';
import { hourMs, minuteMs, now, secondMs, shifted, timestamp } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { sendDigest } from '#lib/email/digest.ts';
import { parseMail } from '#lib/email/mail.ts';
import { defaultSettings, Members } from '#lib/entities/member.ts';
import { transact } from '#lib/table/transact.ts';
import { nextDigest } from '#lib/workspaces/digest-time.ts';
import { patchMember } from '#lib/workspaces/members.ts';
import { patchOwnProfile } from '#lib/workspaces/own-profile.ts';
import { conversations } from '#test/conversations/world.ts';
import { sentWith } from '#test/email/outbox.ts';
import { advance } from '#test/harness.ts';
import { type Signed, signedIn } from '#test/panel/member.ts';

const friday = '2026-11-27';
const monday = '2026-11-30';
test.each([
  ['later today', 'America/New_York', 8, `${friday}T12:59:59Z`, null, `${friday}T13:00:00Z`],
  [
    'not at the hour itself but after the weekend',
    'America/New_York',
    8,
    `${friday}T13:00:00Z`,
    null,
    `${monday}T13:00:00Z`,
  ],
  [
    'on a Monday of the zone, still Sunday in UTC',
    'Asia/Tokyo',
    8,
    `${friday}T00:00:00Z`,
    null,
    '2026-11-29T23:00:00Z',
  ],
  [
    'on a Friday of the zone, already Saturday in UTC',
    'America/New_York',
    22,
    `${friday}T12:00:00Z`,
    null,
    '2026-11-28T03:00:00Z',
  ],
  ['at midnight', 'Europe/Berlin', 0, `${friday}T12:00:00Z`, null, '2026-11-29T23:00:00Z'],
  ['in UTC without a zone', null, 8, `${friday}T00:00:00Z`, null, `${friday}T08:00:00Z`],
  [
    'on the next day after a mail of today',
    null,
    18,
    '2026-11-26T09:00:00Z',
    '2026-11-26T08:00:00Z',
    `${friday}T18:00:00Z`,
  ],
  ['on the day the clocks went forward', 'Asia/Jerusalem', 8, '2026-03-26T12:00:00Z', null, '2026-03-27T05:00:00Z'],
  [
    'an hour later where the clocks leave it out',
    'Africa/Cairo',
    0,
    '2026-04-23T12:00:00Z',
    null,
    '2026-04-23T22:00:00Z',
  ],
  ['never when it is off', 'Asia/Tokyo', null, `${friday}T00:00:00Z`, null, null],
] as const)('a digest comes %s', (_, timeZone, mailHour, at, sentAt, expected) => {
  const settings = { ...defaultSettings, timeZone, notifications: { browser: false, mailHour } };
  expect(nextDigest(settings, at, sentAt)).toBe(expected);
});

/** Mails of what waits that went to somebody. */
const digests = async ({ email }: Signed) => Promise.all((await sentWith(`To: ${email}`)).map((raw) => parseMail(raw)));

/** Somebody who wants the mail at an hour from now, with the time until then. */
async function reader(workspaceId: number, more: object = {}) {
  const member = await signedIn(workspaceId, 'member');
  await member.patch('/panel/me', { notifications: { mailHour: 8 }, ...more }, 200);
  const of = { workspaceId, env: 'live' } as const;
  const stored = () => transact(of, operator, (tx) => tx.get(Members, { id: member.memberId }));
  const untilDue = async () => Date.parse(String((await stored()).digest?.at)) - now();
  return { member, of, stored, untilDue };
}

test('a member is mailed once at their hour, in their language, what waits for them', async () => {
  const { id, contact, write, mail, live, list } = await conversations();
  const { member, untilDue, of } = await reader(id, { timeZone: 'Asia/Tokyo', language: 'de' });
  const other = await reader(id, { timeZone: 'Asia/Tokyo' });
  const waitingMs = await untilDue();
  const dueAt = timestamp(new Date(now() + waitingMs));
  const assign = async (contactId: number, userId: number) => {
    const found = (await list()).find((one) => one.contactId === contactId);
    await live.post(`/v1/conversations/${found.id}/assignee`, { userId }, 200);
  };
  const [mine, theirs] = [await contact('Ada Lovelace'), await contact('Bob')];
  for (const one of [mine, theirs]) await write(one, 'inbound', 'A secret text');
  await assign(mine, member.memberId);
  await assign(theirs, other.member.memberId);
  await write(await contact('https://evil.example'), 'inbound', 'Click');
  const answered = await contact('Answered');
  await write(answered, 'inbound', 'Hi');
  await write(answered, 'outbound', 'Hello');
  await advance(2 * secondMs);
  await mail({ from: 'Zoe <zoe@example.com>', subject: 'A secret subject' });
  const task = (title: string, dueIn: number, assignedToUserId: number | null = member.memberId) =>
    live.post('/v1/tasks', { title, dueAt: shifted(dueAt, dueIn), assignedToUserId }, 201);
  // At 8 in Tokyo the day has 16 more hours and began 8 ago.
  for (const [title, dueIn] of [
    ['At night', 15],
    ['Tomorrow', 17],
    ['Early', -7],
    ['Yesterday', -9],
  ] as const)
    await task(title, dueIn * hourMs);
  await task('Of nobody', 0, null);

  await advance(waitingMs - minuteMs);
  expect(await digests(member)).toEqual([]);
  await advance(2 * minuteMs);
  for (const _ of [1, 2]) await sendDigest(of, member.memberId);
  await advance(20 * hourMs);
  const [sent, ...more] = await digests(member);
  expect([sent?.subject, more]).toEqual(['Test: 6 offen für Sie', []]);
  const text = sent?.bodyText ?? '';
  expect(text.replaceAll(/http\S+(?=\/panel)/g, '')).toBe(`1 Unterhaltung von Ihnen wartet auf Antwort:
- Ada Lovelace

2 Unterhaltungen von niemandem warten auf Antwort:
- #3
- Zoe

1 Aufgabe von Ihnen ist überfällig:
- Yesterday

2 Aufgaben von Ihnen sind heute fällig:
- Early
- At night

Panel öffnen: /panel/

Sie bekommen diese Mail an Werktagen um 08:00 (Asia/Tokyo). Ändern Sie das in Ihren Einstellungen: /panel/#/settings/you`);
  const [english] = await digests(other.member);
  expect(english?.bodyText).toMatch(
    /^1 conversation of yours waits for an answer:\n- Bob\n\n2 conversations of nobody wait/,
  );
});

test('a mail names five of each and counts the others', async () => {
  const { id, live } = await conversations();
  const { member, untilDue } = await reader(id, { timeZone: 'America/New_York' });
  for (let task = 1; task <= 7; task += 1)
    await live.post('/v1/tasks', {
      title: `Task ${task}`,
      dueAt: `2026-01-0${task}`,
      assignedToUserId: member.memberId,
    });
  await advance(await untilDue());
  const [sent] = await digests(member);
  expect(sent?.subject).toBe('Test: 7 waiting for you');
  expect(sent?.bodyText).toMatch(
    /^7 tasks of yours are overdue:\n- Task 1\n(- .*\n){3}- Task 5\n- and 2 more\n\nOpen the panel/,
  );
});

test.each<[what: string, act: (given: Awaited<ReturnType<typeof reader>>) => Promise<unknown>]>([
  ['who has switched it off', ({ member }) => member.patch('/panel/me', { notifications: { mailHour: null } }, 200)],
  [
    'who is not active any more',
    ({ of, member }) => transact(of, operator, (tx) => patchMember(tx, member.memberId, { isActive: false })),
  ],
])('a member %s is mailed nothing', async (_, act) => {
  const { id, live } = await conversations();
  const given = await reader(id);
  const { member, untilDue } = given;
  await live.post('/v1/tasks', { title: 'Late', dueAt: '2026-01-01', assignedToUserId: member.memberId }, 201);
  const waitingMs = await untilDue();
  await act(given);
  await advance(waitingMs + minuteMs);
  expect(await digests(member)).toEqual([]);
});

test('a member is mailed nothing when nothing waits, and is asked about again on the next working day', async () => {
  const { id } = await conversations();
  const { member, untilDue, stored } = await reader(id);
  await advance((await untilDue()) + minuteMs);
  expect([await digests(member), (await stored()).digest?.sentAt]).toEqual([[], null]);
  expect(await untilDue()).toBeGreaterThan(20 * hourMs);
});

test('a member who is active again is not mailed for the time before', async () => {
  const { id, live } = await conversations();
  const { member, of, untilDue } = await reader(id);
  await live.post('/v1/tasks', { title: 'Late', dueAt: '2026-01-01', assignedToUserId: member.memberId }, 201);
  const set = (isActive: boolean) => transact(of, operator, (tx) => patchMember(tx, member.memberId, { isActive }));
  const waitingMs = await untilDue();
  await set(false);
  await advance(waitingMs + 5 * hourMs);
  await set(true);
  await advance(minuteMs);
  expect(await digests(member)).toEqual([]);
  await advance((await untilDue()) + secondMs);
  expect(await digests(member)).toHaveLength(1);
});

test('a member who moves the hour after the mail of the day gets no second one that day', async () => {
  const { id, live } = await conversations();
  const { member, of, untilDue } = await reader(id);
  await live.post('/v1/tasks', { title: 'Late', dueAt: '2026-01-01', assignedToUserId: member.memberId }, 201);
  await advance((await untilDue()) + minuteMs);
  const set = (mailHour: number | null) =>
    transact(of, operator, (tx) => patchOwnProfile(tx, member.memberId, { notifications: { mailHour } }, 'http://x'));
  for (const hour of [9, null, 10]) await set(hour);
  await advance(3 * hourMs);
  expect(await digests(member)).toHaveLength(1);
});

test('an archive holds neither the mail of what waits nor its hour', () => {
  const settings = { ...defaultSettings, theme: 'dark', notifications: { browser: true, mailHour: 8 } };
  const digest = { at: `${monday}T08:00:00Z`, base: 'https://crm.example', sentAt: null };
  expect(archived(7, { pk: '7#member', sk: '0000000001', settings, digest })).toMatchObject({
    digest: null,
    settings: { theme: 'dark', notifications: { browser: true, mailHour: null } },
  });
});
