import { beforeAll, expect, test } from 'vitest';
import { everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const upsert = (body: object) => workspace.live.post('/v1/contacts/upsert', body);

test('the first upsert creates, and the next one updates in any spelling of the key', async () => {
  const made = await upsert({ matchOn: 'username', username: '@Ada_L', name: 'Ada', company: 'Analytical' });
  expect([made.status, made.headers['location']]).toEqual([201, `/v1/contacts/${made.body.id}`]);
  const changed = await upsert({ matchOn: 'Username', username: 'ada_l', company: null, email: 'ada@example.com' });
  expect([changed.status, changed.headers['location']]).toEqual([200, undefined]);
  expect(changed.body).toEqual({ ...made.body, username: 'ada_l', company: null, email: 'ada@example.com' });
  const events = await eventsAbout(workspace.id, `contact/${made.body.id}`, 2);
  expect(events.map(({ event, data }) => [event, data.changed])).toEqual([
    ['contact.created', undefined],
    ['contact.updated', ['username', 'email', 'company']],
  ]);
});

test('usernames match within their platform, phones and e-mails across', async () => {
  const telegram = (await upsert({ matchOn: 'username', username: 'grace', phone: '+1 555 0101' })).body;
  const twitter = await upsert({ matchOn: 'username', username: 'grace', platform: 'twitter' });
  expect(twitter.status).toBe(201);
  const byPhone = await upsert({ matchOn: 'phone', phone: '1 (555) 0101', platform: 'twitter', name: 'Grace' });
  expect([byPhone.status, byPhone.body.id, byPhone.body.platform]).toEqual([200, telegram.id, 'telegram']);
});

test('several matches are a conflict that names them', async () => {
  const ids = [];
  for (const name of ['one', 'two'])
    ids.unshift((await workspace.live.post('/v1/contacts', { name, email: 'shared@example.com' })).body.id);
  const { status, body } = await upsert({ matchOn: 'email', email: 'Shared@Example.com', name: 'x' });
  expect([status, body.details]).toEqual([409, { ...because('ambiguous_match'), contactIds: ids }]);
});

test.each([
  [{ name: 'Ada' }, 'matchOn', 'required'],
  [{ matchOn: 'name', name: 'Ada' }, 'matchOn', 'invalid_enum'],
  [{ matchOn: 'phone', name: 'Ada' }, 'phone', 'required'],
  [{ matchOn: 'phone', name: 'Ada', phone: ' ' }, 'phone', 'required'],
  [{ matchOn: 'email', email: 'new@example.com' }, 'name', 'required'],
])('the upsert %j is refused', async (body, field, code) => {
  const answer = await upsert(body);
  expect([answer.status, answer.body.details.fields[0]]).toEqual([400, expect.objectContaining({ field, code })]);
});

test.each([
  ['username', 'racer'],
  ['phone', '+44 20 7946 0000'],
  ['email', 'racer@example.com'],
])('twenty upserts at once with one %s create one contact', async (matchOn, value) => {
  // On a busy machine the last one meets the others for too long, and is told to come again.
  const untilTaken = async (body: object) => {
    for (;;) {
      const answer = await upsert(body);
      if (answer.status !== 503) return answer;
    }
  };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => untilTaken({ matchOn, [matchOn]: value, name: `Racer ${index}` })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(await everyItem(workspace.live, '/v1/contacts', { [matchOn]: value })).toHaveLength(1);
});
