import { beforeAll, expect, test } from 'vitest';
import { conversations } from '#test/conversations/world.ts';

let world: Awaited<ReturnType<typeof conversations>>;
const ids: Record<string, number> = {};
const values: Record<string, number> = {};

beforeAll(async () => {
  world = await conversations();
  const { live, contact, write, mail, newAccount, of, memberId } = world;
  const other = await newAccount('Other bot');
  ids['Ann'] = await contact('Ann Müller', { phone: '+49 170 5550100' });
  ids['Ben'] = await contact('Ben', { company: 'Analytical Engines', tags: ['vip'] });
  ids['Cleo'] = await contact('Cleo', { email: 'cleo@example.com' });
  await write(ids['Ann'], 'inbound', 'Hi');
  await write(ids['Ben'], 'outbound', 'Hi', { accountId: other });
  await mail({ from: 'Cleo <cleo@example.com>', subject: 'Shipping to Norway' });
  await mail({ from: 'Zoe Stranger <zoe@example.org>', subject: 'Invoice 7' });
  const set = async (name: string, path: string, body: object) =>
    live.post(`/v1/conversations/${(await of(ids[name] as number)).id}/${path}`, body, 200);
  await set('Ben', 'state', { state: 'done' });
  await set('Ann', 'assignee', { userId: memberId });
  Object.assign(values, {
    memberId,
    other,
    first: world.accountId,
    vip: (await live.get('/v1/tags')).body.items[0].id,
  });
});

const named = (shown: { contactId: number | null }[]) =>
  shown.map(({ contactId }) => Object.keys(ids).find((name) => ids[name] === contactId) ?? 'Zoe').sort();

test.each<[string, () => Record<string, string | number | boolean>, string[]]>([
  ['nothing', () => ({}), ['Ann', 'Ben', 'Cleo', 'Zoe']],
  ['state', () => ({ state: 'open' }), ['Ann', 'Cleo', 'Zoe']],
  ['state in capitals', () => ({ state: 'DONE' }), ['Ben']],
  ['assignee', () => ({ assignedToUserId: values['memberId'] as number }), ['Ann']],
  ['no assignee', () => ({ assignedToUserId: 'none' }), ['Ben', 'Cleo', 'Zoe']],
  ['unread', () => ({ unread: true }), ['Ann', 'Cleo', 'Zoe']],
  ['read', () => ({ unread: false }), ['Ben']],
  ['channel', () => ({ channel: 'email' }), ['Cleo', 'Zoe']],
  ['account', () => ({ accountId: values['first'] as number }), ['Ann']],
  ['another account', () => ({ accountId: values['other'] as number }), ['Ben']],
  ['tag', () => ({ tagId: values['vip'] as number }), ['Ben']],
  ['unknown tag', () => ({ tagId: 4711 }), []],
  ['name in another spelling', () => ({ q: 'mueller' }), ['Ann']],
  ['phone', () => ({ q: '0170 5550100' }), ['Ann']],
  ['company', () => ({ q: 'engines' }), ['Ben']],
  ['address', () => ({ q: 'cleo@example.com' }), ['Cleo']],
  ['subject of a contact', () => ({ q: 'norway' }), ['Cleo']],
  ['subject of a stranger', () => ({ q: 'invoice' }), ['Zoe']],
  ['name of a stranger', () => ({ q: 'stranger' }), ['Zoe']],
  ['text of a message', () => ({ q: 'ship' }), ['Cleo']],
  ['several', () => ({ state: 'open', unread: true, channel: 'telegram' }), ['Ann']],
])('conversations are filtered by %s, however long a page is', async (_, query, expected) => {
  expect(named(await world.list(query()))).toEqual(expected);
  const found: { contactId: number | null }[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await world.live.get('/v1/conversations', { ...query(), limit: 1, ...(cursor && { cursor }) });
    found.push(...body.items);
    cursor = body.nextCursor;
  }
  expect(named(found)).toEqual(expected);
});

test.each([
  ['cursor', 'x'],
  ['cursor', Buffer.from('2026-11-20').toString('base64url')],
  ['state', 'closed'],
  ['assignedToUserId', 'nobody'],
  ['unread', 'maybe'],
  ['channel', 'fax'],
  ['accountId', 'x'],
  ['tagId', 'x'],
])('a list is refused when %s is %s', async (name, value) => {
  const { body } = await world.live.get('/v1/conversations', { [name]: value }, 400);
  expect(body.details.fields).toMatchObject([{ field: `query.${name}` }]);
});
