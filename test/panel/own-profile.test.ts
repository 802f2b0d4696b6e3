import { beforeAll, expect, test } from 'vitest';
import { type Signed, signedIn } from '#test/panel/member.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let member: Signed;
beforeAll(async () => {
  workspace = await newWorkspace();
  member = await signedIn(workspace.id, 'member');
});

const fresh = () => ({
  id: member.memberId,
  email: member.email,
  name: 'A member',
  role: 'member',
  timeZone: null,
  dateForm: 'language',
  language: null,
  theme: 'system',
  notifications: { browser: false, mailHour: null },
});

test('a member changes own name and settings, and nobody else sees the settings', async () => {
  expect((await member.get('/panel/me')).body).toEqual(fresh());
  const settings = { timeZone: 'Asia/Tokyo', dateForm: 'iso', language: 'de', theme: 'dark' };
  const changed = { ...fresh(), name: 'Mia', ...settings, notifications: { browser: true, mailHour: 8 } };
  const { status, body } = await member.patch('/panel/me', {
    name: 'Mia',
    ...settings,
    notifications: { browser: true, mailHour: 8 },
  });
  expect([status, body]).toEqual([200, changed]);
  expect((await member.patch('/panel/me', { notifications: {} })).body).toEqual(changed);
  expect((await member.in({ env: 'test' }).get('/panel/me')).body).toEqual(changed);
  expect((await member.patch('/panel/me', { timeZone: null, language: '' })).body).toMatchObject({
    timeZone: null,
    language: null,
    theme: 'dark',
  });
  const { body: seen } = await workspace.live.get(`/v1/members`);
  const own = seen.items.find(({ id }: { id: number }) => id === member.memberId);
  expect(own).toMatchObject({ name: 'Mia' });
  expect(own).not.toHaveProperty('settings');
  const other = await signedIn(workspace.id, 'member');
  expect((await other.get('/panel/me')).body).toMatchObject({ theme: 'system', notifications: fresh().notifications });
});

test.each([
  ['timeZone', '+02:00', 'invalid_format'],
  ['timeZone', 'Mars/Olympus', 'invalid_format'],
  ['dateForm', 'ymd', 'invalid_enum'],
  ['language', 'german', 'invalid_format'],
  ['theme', 'pink', 'invalid_enum'],
  ['mailHour', 24, 'out_of_range'],
  ['role', 'owner', 'not_allowed'],
  ['email', 'x@example.com', 'not_allowed'],
  ['name', 'x'.repeat(201), 'too_long'],
])('a member cannot set %s to %s', async (field, value, code) => {
  const isNotification = field === 'mailHour';
  const given = { [field]: value };
  const { status, body } = await member.patch('/panel/me', isNotification ? { notifications: given } : given);
  const named = isNotification ? `notifications.${field}` : field;
  expect([status, body.details.fields]).toEqual([400, [expect.objectContaining({ field: named, code })]]);
});
