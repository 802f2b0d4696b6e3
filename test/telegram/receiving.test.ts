import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { dayMs, epochSeconds, fromNow, notBefore, now } from '#lib/core/clock.ts';
import { type Client, eventually } from '#test/client.ts';
import { settle } from '#test/harness.ts';
import { place } from '#test/place.ts';
import { memberUpdate, message, type Person } from '#test/telegram/bot.ts';
import { bots, hearsBy, somebody } from '#test/telegram/hearing.ts';
import { newWorkspace } from '#test/workspace.ts';

let live: Client;
beforeAll(async () => {
  live = (await newWorkspace()).live;
});
const { connected, conversationWith } = bots(() => live);

hearsBy('webhook', () => live);

test('a block that has ended stays ended, and ends when the person writes', async () => {
  const bot = await connected('webhook');
  const [ann, bea, eve] = [somebody(), somebody(), somebody()];
  const sent = message(ann, { text: 'Ann' });
  const { date } = sent.message;
  const told = async (updateId: number, update: object) => {
    await bot.command({ tell: [{ ...update, update_id: updateId }], asIs: true });
    expect(await bot.post()).toEqual([200]);
  };
  await told(11, sent);
  await told(14, memberUpdate(ann, 'member', date));
  await told(13, memberUpdate(ann, 'kicked', date));
  await told(21, memberUpdate(bea, 'kicked', date));
  await told(22, message(bea, { text: 'Bea' }));
  await told(32, memberUpdate(eve, 'kicked', date));
  const before = message(eve, { text: 'Eve' });
  await told(31, { message: { ...before.message, date } });
  const blockedAt = async (person: Person) => {
    const { contact } = await conversationWith(person, 1);
    const { items } = (await live.get(`/v1/contacts/${contact.id}/channels`)).body;
    return items[0].blockedAt !== null;
  };
  expect([await blockedAt(ann), await blockedAt(bea), await blockedAt(eve)]).toEqual([false, false, true]);
});

describe('an unreachable recipient', () => {
  const tomorrow = () => fromNow(dayMs);
  const statusOf = async (id: number) => (await live.get(`/v1/jobs/${id}`)).body;
  const failed = (id: number) =>
    eventually(async () => {
      const job = await statusOf(id);
      return job.status === 'failed' && job;
    }, 'the job to fail');

  /** A bot, and what it has queued for somebody by each name. */
  async function queuedFor(person: Person, isKnown: boolean) {
    const bot = await connected('webhook');
    if (isKnown) {
      await bot.tell(message(person, { text: 'Hello' }));
      expect(await bot.post()).toEqual([200]);
    }
    const names = [{ telegramUserId: person.id }, { username: person.username }];
    const send = async (to: object, runAt: string | null = tomorrow()) =>
      (await live.post('/v1/telegram/messages', { accountId: bot.id, text: 'Hi', runAt, ...to })).body.id as number;
    return { bot, names, send, ids: await Promise.all(names.map((to) => send(to))) };
  }

  test.each([true, false])(
    'somebody who blocks a bot fails what waits by id or username, known or not: %s',
    async (isKnown) => {
      const person = somebody({ username: `name_${randomBytes(6).toString('hex')}` });
      const { bot, names, send, ids } = await queuedFor(person, isKnown);
      const other = await send({ telegramUserId: person.id + 1_000_000 });
      await bot.tell(memberUpdate(person, 'kicked'));
      expect(await bot.post()).toEqual([200]);
      for (const id of ids) expect((await failed(id)).lastError).toBe('the recipient has blocked this bot');
      for (const to of isKnown ? names : names.slice(0, 1))
        expect((await statusOf(await send(to))).status).toBe('failed');
      expect((await statusOf(other)).status).toBe('queued');
    },
  );

  test.each([
    ['Forbidden: bot was blocked by the user', true],
    ['Forbidden: user is deactivated', true],
    ["Forbidden: bot can't initiate conversation with a user", false],
  ])('the first 403 fails what waits as well: %s', async (description, isBlock) => {
    const person = somebody({ username: `name_${randomBytes(6).toString('hex')}` });
    const { bot, names, send, ids } = await queuedFor(person, true);
    await bot.react({ status: 403, body: { ok: false, error_code: 403, description } });
    const first = await failed(await send(names[0] as object, null));
    expect(first.lastError).toContain(description);
    for (const id of ids) expect((await failed(id)).lastError).toMatch(isBlock ? /has blocked/ : /initiate/);
    const [contact] = (await live.get('/v1/contacts', { q: person.first_name })).body.items;
    const { items } = (await live.get(`/v1/contacts/${contact.id}/channels`)).body;
    expect(items[0].blockedAt !== null).toBe(isBlock);
    expect((await bot.seen()).stored).toEqual([]);
  });
});

test('a wait that a platform asks for is never shortened', () => {
  for (let tried = 0; tried < 50; tried += 1) {
    const before = now();
    expect(Date.parse(notBefore(12_000 + tried))).toBeGreaterThanOrEqual(before + 12_000 + tried);
  }
});

describe('a username', () => {
  /** The bot to which persons say hello by turns, and what it sends to a name arrives at. */
  async function line() {
    const bot = await connected('webhook');
    const says = async (person: Person, more: object = {}) => {
      await bot.tell(message(person, { text: 'Hello', ...more }));
      expect(await bot.post()).toEqual([200]);
    };
    const contactOf = async ({ first_name: q }: Person) =>
      (await live.get('/v1/contacts', { q, platform: 'telegram' })).body.items[0];
    const arrivesAt = async (username: string | undefined) => {
      const { body: job } = await live.post('/v1/telegram/messages', { accountId: bot.id, username, text: 'Hi' });
      const done = await eventually(async () => {
        const { body } = await live.get(`/v1/telegram/messages/${job.id}`);
        return body.status !== 'queued' && body;
      }, 'the job to end');
      return done.status === 'sent' ? (await bot.seen()).stored.at(-1)?.to : done.lastError;
    };
    return { bot, says, contactOf, arrivesAt };
  }
  const newName = () => `name_${randomBytes(6).toString('hex')}`;
  const unknown = expect.stringContaining('recipient unknown');

  test('passes from its former holder to the present one', async () => {
    const { says, contactOf, arrivesAt } = await line();
    const [username, other] = [newName(), newName()];
    const [first, second] = [somebody({ username }), somebody({ username })];
    await says(first);
    expect(await arrivesAt(username)).toBe(String(first.id));
    await says({ ...first, username: other });
    expect(await arrivesAt(username)).toEqual(unknown);
    expect(await arrivesAt(other)).toBe(String(first.id));
    expect((await contactOf(first)).username).toBe(other);
    await says(second);
    expect(await arrivesAt(username)).toBe(String(second.id));
  });

  test('belongs to whoever shows it last', async () => {
    const { bot, says, contactOf, arrivesAt } = await line();
    const username = newName();
    const [first, second, third] = [somebody({ username }), somebody({ username }), somebody({ username })];
    await says(first);
    for (const person of [second, third]) {
      await says(person);
      expect(await arrivesAt(username.toUpperCase())).toBe(String(person.id));
    }
    const now = epochSeconds();
    await says(second, { date: now - 100 });
    expect(await arrivesAt(username)).toBe(String(third.id));
    expect((await contactOf(first)).username).toBeNull();
    const { username: _, ...nameless } = third;
    await bot.tell(memberUpdate(nameless, 'member', now + 1));
    expect(await bot.post()).toEqual([200]);
    expect(await arrivesAt(username)).toEqual(unknown);
  });

  test('is not assigned by a late update', async () => {
    const { says, contactOf, arrivesAt } = await line();
    const username = newName();
    const [older, owner, stranger] = [somebody(), somebody(), somebody({ username })];
    const sent = epochSeconds();
    await says(older, { date: sent - 100 });
    await says({ ...owner, username }, { date: sent - 10 });
    await says({ ...older, username: username.toUpperCase() }, { date: sent - 50 });
    await says(stranger, { date: sent - 40 });
    expect(await arrivesAt(username)).toBe(String(owner.id));
    const names = await Promise.all([older, owner, stranger].map(contactOf));
    expect(names.map((contact) => contact.username)).toEqual([null, username, null]);
  });

  test('stays with its present holder after a late update', async () => {
    const { says, contactOf, arrivesAt } = await line();
    const username = newName();
    const [owner, late] = [somebody({ username }), somebody()];
    const sent = epochSeconds();
    await says(late, { date: sent - 200 });
    await says(owner, { date: sent - 100 });
    await says(owner, { date: sent - 10 });
    await says({ ...late, username }, { date: sent - 50 });
    expect(await arrivesAt(username)).toBe(String(owner.id));
    expect((await contactOf(late)).username).toBeNull();
    await says({ ...late, username }, { date: sent });
    expect(await arrivesAt(username)).toBe(String(late.id));
    expect((await contactOf(owner)).username).toBeNull();
  });

  test('has one contact, also when several show it at once', async () => {
    const { says, arrivesAt } = await line();
    const lines = await Promise.all(Array.from({ length: 4 }, () => connected('webhook')));
    for (let round = 0; round < 3; round += 1) {
      const username = newName();
      const people = lines.map(() => somebody());
      for (const person of people) await says(person);
      await Promise.all(
        lines.map(async (one, index) => {
          const person = { ...people[index], username } as Person;
          await one.tell(message(person, { text: 'Me', date: epochSeconds() + index }));
          expect(await one.post()).toEqual([200]);
        }),
      );
      const { items } = (await live.get('/v1/contacts', { username })).body;
      expect(items).toHaveLength(1);
      expect(await arrivesAt(username)).toBe(String(people.at(-1)?.id));
    }
  });

  test('reaches its holder when a contact without an id has it, too', async () => {
    const { says, arrivesAt } = await line();
    const [username, other] = [newName(), newName()];
    const person = somebody({ username: other });
    await live.post('/v1/contacts', { name: 'Somebody', platform: 'telegram', username });
    await says(person);
    await says({ ...person, username });
    expect(await arrivesAt(username)).toBe(String(person.id));
  });

  test('set by a customer stays until another one is reported', async () => {
    const { says, contactOf, arrivesAt } = await line();
    const person = somebody({ username: newName() });
    const username = newName();
    await says(person);
    await live.patch(`/v1/contacts/${(await contactOf(person)).id}`, { username });
    await says(person);
    expect(await arrivesAt(username)).toBe(String(person.id));
  });
});

test('a block that is older than the person’s last message is ignored', async () => {
  const bot = await connected('webhook');
  const [ann, bea] = [somebody(), somebody()];
  const { date } = message(ann, {}).message;
  await bot.tell(message(ann, { text: 'Ann' }), message(bea, { text: 'Bea' }));
  expect(await bot.post()).toEqual([200, 200]);
  const { contact } = await conversationWith(ann, 1);
  const { contact: other } = await conversationWith(bea, 1);
  const send = async (contactId: number) => {
    const runAt = fromNow(dayMs);
    return (await live.post('/v1/telegram/messages', { accountId: bot.id, contactId, text: 'Hi', runAt })).body;
  };
  const queued = await send(contact.id);
  await bot.tell(memberUpdate(ann, 'kicked', date - 60), memberUpdate(bea, 'kicked', date + 60));
  expect(await bot.post()).toEqual([200, 200]);
  expect([(await send(other.id)).status, (await send(contact.id)).status]).toEqual(['failed', 'queued']);
  expect((await live.get(`/v1/jobs/${queued.id}`)).body.status).toBe('queued');
});

test('a block applies to the blocking person alone, not to others merged into the contact', async () => {
  const bot = await connected('webhook');
  const [ann, bea] = [somebody(), somebody()];
  await bot.tell(message(ann, { text: 'Ann' }), message(bea, { text: 'Bea' }));
  expect(await bot.post()).toEqual([200, 200]);
  const { contact } = await conversationWith(ann, 1);
  const { contact: other } = await conversationWith(bea, 1);
  const runAt = fromNow(dayMs);
  const to = { accountId: bot.id, contactId: contact.id, text: 'Hi', runAt };
  const { body: job } = await live.post('/v1/telegram/messages', to);
  await live.post(`/v1/contacts/${contact.id}/merge`, { sourceContactId: other.id }, 200);
  await bot.tell(memberUpdate(bea, 'kicked'));
  await bot.post();
  await settle();
  expect((await live.get(`/v1/jobs/${job.id}`)).body.status).toBe('queued');
});

describe('a hook', () => {
  test('refuses a wrong secret, and does not exist at another path', async () => {
    const bot = await connected('webhook');
    const { webhook } = await bot.seen();
    const path = new URL(webhook?.url as string).pathname;
    const post = async (to: string, headers: Record<string, string>, body: string) => {
      const answer = await request(`${place('baseUrl')}${to}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      return [answer.statusCode, ((await answer.body.json()) as { error?: string }).error];
    };
    const word = { 'x-telegram-bot-api-secret-token': webhook?.secretToken as string };
    const person = somebody();
    const body = JSON.stringify({ update_id: 1, ...message(person, { text: 'Hi' }) });
    expect(await post(path, {}, body)).toEqual([401, 'unauthorized']);
    expect(await post(path, { 'x-telegram-bot-api-secret-token': 'wrong' }, body)).toEqual([401, 'unauthorized']);
    expect(await post(`${path.slice(0, -1)}_`, word, body)).toEqual([404, 'not_found']);
    expect(await post('/hooks/telegram/KEY%23x', word, body)).toEqual([404, 'not_found']);
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    for (const unreadable of ['', '{', '[]', deep, `{"update_id":2,"x":${deep}}`, `{"a":"${'x'.repeat(1_048_576)}"}`])
      expect(await post(path, word, unreadable), unreadable.slice(0, 30)).toEqual([200, undefined]);
    expect(await post(path, word, body)).toEqual([200, undefined]);
    await conversationWith(person, 1);
    // An update of somebody, in a text of a mebibyte: as much of it as a message holds.
    const { message: sent } = message(person, {});
    const saying = (text: string) => JSON.stringify({ update_id: 3, message: { ...sent, text } });
    const large = saying('x'.repeat(1_048_576 - saying('').length));
    expect(await post(path, word, large)).toEqual([200, undefined]);
    const { messages } = await conversationWith(person, 2);
    expect(messages.map(({ body: text }: { body: string }) => text.length).sort()).toEqual([10_000, 2]);
  });

  test('refuses every wrong secret, and nobody else meanwhile', async () => {
    const bot = await connected('webhook');
    const { webhook } = await bot.seen();
    const url = `${place('baseUrl')}${new URL(webhook?.url as string).pathname}`;
    const person = somebody();
    const body = JSON.stringify({ update_id: 1, ...message(person, { text: 'Stolen' }) });
    const right = webhook?.secretToken as string;
    const guess = async (word: string) => {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': word },
        body,
      });
      await answer.body.dump();
      return answer.statusCode;
    };
    const near = [right.slice(0, -1), `${right}x`, right.toLowerCase(), right.toUpperCase(), ` ${right.slice(1)}`];
    const words = [...near, ...Array.from({ length: 300 - near.length }, () => randomBytes(16).toString('hex'))];
    const statuses = new Set<number>();
    for (let from = 0; from < words.length; from += 50)
      for (const status of await Promise.all(words.slice(from, from + 50).map(guess))) statuses.add(status);
    expect([...statuses]).toEqual([401]);
    // Neither a key's minute nor an address's is spent.
    expect((await request(`${place('baseUrl')}/healthz`)).statusCode).toBe(200);
    expect((await live.get('/v1/contacts', { q: person.first_name })).body.items).toEqual([]);
    expect(await guess(right)).toBe(200);
    await conversationWith(person, 1);
  });
});
