import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { epochSeconds, now } from '#lib/clock.ts';
import { type Client, eventually } from '#test/client.ts';
import { place } from '#test/place.ts';
import { edited, memberUpdate, message, newBot, newPerson, type Person } from '#test/telegram/bot.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Client;

beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
});

/** A connected bot that hears. */
async function connected(inbound: 'webhook' | 'polling') {
  const bot = newBot();
  const { body } = await live.post('/v1/telegram/accounts', { kind: 'bot', botToken: bot.token, inbound });
  const account = async () => (await live.get(`/v1/telegram/accounts/${body.id}`)).body;
  await eventually(async () => (await account()).inbound.status === 'ok', 'the bot to hear');
  return { ...bot, id: body.id as number, account };
}

/** The contact that somebody has become, once there are so many messages. */
async function conversationWith(person: Person, count: number) {
  const find = async () => {
    const { body } = await live.get('/v1/contacts', { q: person.first_name, platform: 'telegram', limit: 100 });
    const [contact] = body.items.filter(({ name }: { name: string }) => name.startsWith(person.first_name));
    if (!contact) return false;
    const { items } = (await live.get(`/v1/contacts/${contact.id}/messages`)).body;
    return items.length === count && { contact, messages: items };
  };
  return eventually(find, `${count} messages of ${person.first_name}`, 50_000);
}

let lastName = 0;
function somebody(names: Partial<Person> = {}): Person {
  lastName += 1;
  return newPerson({ first_name: `Person-${lastName}-${randomBytes(4).toString('hex')}`, ...names });
}

describe.each(['webhook', 'polling'] as const)('a bot that hears by %s', (mode) => {
  let bot: Awaited<ReturnType<typeof connected>>;
  const deliver = async (...updates: object[]) => {
    await bot.tell(...updates);
    if (mode === 'webhook') expect(await bot.post()).toEqual(updates.map(() => 200));
  };

  beforeAll(async () => {
    bot = await connected(mode);
  });

  test('makes a contact of a stranger, and stores what they write, once', async () => {
    const person = somebody({ last_name: 'Lee', username: `lee_${lastName}` });
    const first = message(person, { text: 'Hello\u0007 there' });
    await deliver(first, first);
    const { contact, messages } = await conversationWith(person, 1);
    expect(contact).toMatchObject({
      name: `${person.first_name} Lee`,
      username: person.username,
      platform: 'telegram',
      hasUnreadMessages: true,
    });
    expect(messages[0]).toMatchObject({
      direction: 'inbound',
      channel: 'telegram',
      status: 'received',
      body: 'Hello there',
      accountId: bot.id,
      threadId: null,
      jobId: null,
      editedAt: null,
      sentAt: `${new Date(first.message.date * 1000).toISOString().slice(0, 19)}Z`,
    });
    await deliver(first, message(person, { text: 'Second' }));
    expect((await conversationWith(person, 2)).messages.map(({ body }: { body: string }) => body)).toEqual([
      'Second',
      'Hello there',
    ]);
    expect((await bot.account()).inbound).toMatchObject({ mode, status: 'ok', lastError: null });
    expect((await bot.account()).inbound.lastReceivedAt).not.toBeNull();
  });

  test('takes over edits, the last one whatever their order, and stores one of what is not there', async () => {
    const person = somebody();
    const first = message(person, { text: 'One' });
    const now = first.message.date;
    await deliver(first, edited(first, { text: 'Three' }, now + 2), edited(first, { text: 'Two' }, now + 1));
    const shown = await eventually(async () => {
      const { messages } = await conversationWith(person, 1);
      return messages[0].body === 'Three' && messages[0];
    }, 'the last edit');
    expect(shown.editedAt).toBe(`${new Date((now + 2) * 1000).toISOString().slice(0, 19)}Z`);
    await deliver(edited(message(person, { text: 'Lost' }), { text: 'Found' }));
    const { messages } = await conversationWith(person, 2);
    expect(messages[0].body).toBe('Found');
  });

  test('says in words what is no text', async () => {
    const person = somebody();
    await deliver(
      message(person, { photo: [{ file_id: 'a', file_size: 3 }], caption: 'A picture' }),
      message(person, { voice: { file_id: 'b', duration: 1 } }),
      message(person, { sticker: { emoji: '👍', file_id: 'c' } }),
      message(person, { location: { latitude: 1.5, longitude: -2 } }),
      message(person, { contact: { phone_number: '+123', first_name: 'Bob', last_name: 'Ray' } }),
      message(person, { dice: { emoji: '🎲', value: 6 } }),
    );
    const { messages } = await conversationWith(person, 6);
    expect(messages.map(({ body }: { body: string }) => body).toReversed()).toEqual([
      'A picture',
      '',
      '👍',
      '1.5, -2',
      'Bob Ray, +123',
      '[dice]',
    ]);
  });

  test('leaves groups, and goes on after what nobody can read', async () => {
    const person = somebody();
    const inGroup = message(person, { text: 'In a group' });
    await deliver(
      { message: { ...inGroup.message, chat: { id: -5, type: 'supergroup', title: 'Group' } } },
      { message: { message_id: 'x' } },
      { poll: { id: '1' } },
      { message: { ...inGroup.message, from: { id: 1.5 } } },
    );
    await deliver(message(person, { text: 'In private' }));
    const { messages } = await conversationWith(person, 1);
    expect(messages[0].body).toBe('In private');
  });

  test('writes nothing more to whom has blocked it, until that is lifted', async () => {
    const person = somebody();
    await deliver(message(person, { text: 'Hello' }));
    const { contact } = await conversationWith(person, 1);
    const send = (more: object = {}) =>
      live.post('/v1/telegram/messages', { accountId: bot.id, contactId: contact.id, text: 'Hi', ...more });
    const tomorrow = new Date(now() + 86_400_000).toISOString();
    const { body: queued } = await send({ runAt: tomorrow });
    const date = epochSeconds();
    await deliver(memberUpdate(person, 'kicked', date));
    const failed = await eventually(async () => {
      const { body } = await live.get(`/v1/jobs/${queued.id}`);
      return body.status === 'failed' && body;
    }, 'the queued message to fail');
    expect(failed.lastError).toBe('the recipient has blocked this bot');
    const { body: refused } = await send({ runAt: tomorrow });
    expect([refused.status, refused.lastError]).toEqual(['failed', 'the recipient has blocked this bot']);
    await deliver(memberUpdate(person, 'member', date - 5), memberUpdate(person, 'member', date + 1));
    await eventually(
      async () => (await send({ runAt: tomorrow })).body.status === 'queued',
      'messages to be taken again',
    );
  });
});

test('a block that has ended stays ended, in whatever order its second is told, and ends when the person writes', async () => {
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

  test('is no longer that of who gave it up, and that of the one who has it now', async () => {
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

  test('that somebody else shows is theirs, also before its holder of old is heard of again', async () => {
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

  const now = () => epochSeconds();

  test('is not handed out by what is told late', async () => {
    const { says, contactOf, arrivesAt } = await line();
    const username = newName();
    const [older, owner, stranger] = [somebody(), somebody(), somebody({ username })];
    const sent = now();
    await says(older, { date: sent - 100 });
    await says({ ...owner, username }, { date: sent - 10 });
    await says({ ...older, username: username.toUpperCase() }, { date: sent - 50 });
    await says(stranger, { date: sent - 40 });
    expect(await arrivesAt(username)).toBe(String(owner.id));
    const names = await Promise.all([older, owner, stranger].map(contactOf));
    expect(names.map((contact) => contact.username)).toEqual([null, username, null]);
  });

  test('is theirs who went on to show it, whatever is told late', async () => {
    const { says, contactOf, arrivesAt } = await line();
    const username = newName();
    const [owner, late] = [somebody({ username }), somebody()];
    const sent = now();
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
    for (let round = 0; round < 5; round += 1) {
      const username = newName();
      const people = lines.map(() => somebody());
      for (const person of people) await says(person);
      await Promise.all(
        lines.map(async (one, index) => {
          const person = { ...people[index], username } as Person;
          await one.tell(message(person, { text: 'Me', date: now() + index }));
          expect(await one.post()).toEqual([200]);
        }),
      );
      const { items } = (await live.get('/v1/contacts', { username })).body;
      expect(items).toHaveLength(1);
      expect(await arrivesAt(username)).toBe(String(people.at(-1)?.id));
    }
  });

  test('that a contact without an id has, too, reaches the one who was told to have it', async () => {
    const { says, arrivesAt } = await line();
    const [username, other] = [newName(), newName()];
    const person = somebody({ username: other });
    await live.post('/v1/contacts', { name: 'Somebody', platform: 'telegram', username });
    await says(person);
    await says({ ...person, username });
    expect(await arrivesAt(username)).toBe(String(person.id));
  });

  test('that a customer has set stays until another one is told', async () => {
    const { says, contactOf, arrivesAt } = await line();
    const person = somebody({ username: newName() });
    const username = newName();
    await says(person);
    await live.patch(`/v1/contacts/${(await contactOf(person)).id}`, { username });
    await says(person);
    expect(await arrivesAt(username)).toBe(String(person.id));
  });
});

test('a block that is told after what the person has written since is none', async () => {
  const bot = await connected('webhook');
  const [ann, bea] = [somebody(), somebody()];
  const { date } = message(ann, {}).message;
  await bot.tell(message(ann, { text: 'Ann' }), message(bea, { text: 'Bea' }));
  expect(await bot.post()).toEqual([200, 200]);
  const { contact } = await conversationWith(ann, 1);
  const { contact: other } = await conversationWith(bea, 1);
  const send = async (contactId: number) => {
    const runAt = new Date(now() + 86_400_000).toISOString();
    return (await live.post('/v1/telegram/messages', { accountId: bot.id, contactId, text: 'Hi', runAt })).body;
  };
  const queued = await send(contact.id);
  await bot.tell(memberUpdate(ann, 'kicked', date - 60), memberUpdate(bea, 'kicked', date + 60));
  expect(await bot.post()).toEqual([200, 200]);
  expect([(await send(other.id)).status, (await send(contact.id)).status]).toEqual(['failed', 'queued']);
  expect((await live.get(`/v1/jobs/${queued.id}`)).body.status).toBe('queued');
});

test('a block is of the person who has blocked, and of nobody else whom their contact was merged with', async () => {
  const bot = await connected('webhook');
  const [ann, bea] = [somebody(), somebody()];
  await bot.tell(message(ann, { text: 'Ann' }), message(bea, { text: 'Bea' }));
  expect(await bot.post()).toEqual([200, 200]);
  const { contact } = await conversationWith(ann, 1);
  const { contact: other } = await conversationWith(bea, 1);
  const runAt = new Date(now() + 86_400_000).toISOString();
  const to = { accountId: bot.id, contactId: contact.id, text: 'Hi', runAt };
  const { body: job } = await live.post('/v1/telegram/messages', to);
  await live.post(`/v1/contacts/${contact.id}/merge`, { sourceContactId: other.id }, 200);
  await bot.tell(memberUpdate(bea, 'kicked'));
  await bot.post();
  await sleep(1_000);
  expect((await live.get(`/v1/jobs/${job.id}`)).body.status).toBe('queued');
});

describe('a hook', () => {
  test('takes nothing from whom does not know its word, and is nowhere but where it is', async () => {
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

  test('whose id is known but not its word takes nothing, however many words are tried, and refuses nobody else meanwhile', async () => {
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
    const words = [...near, ...Array.from({ length: 10_000 - near.length }, () => randomBytes(16).toString('hex'))];
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

describe('polling', () => {
  test('says that another server has taken the bot, and goes on by itself afterwards', async () => {
    const bot = await connected('polling');
    await bot.command({ webhookUrl: 'https://elsewhere.example/', tell: [message(somebody(), { text: 'x' })] });
    const { inbound } = await eventually(async () => {
      const account = await bot.account();
      return account.inbound.status === 'failing' && account;
    }, 'the failure');
    expect(inbound.lastError).toMatch(/^Telegram answered 409: Conflict: can't use getUpdates/);
  });

  test('waits as long as Telegram says, however long that is', async () => {
    const bot = await connected('polling');
    const { calls } = await bot.react({
      method: 'getUpdates',
      status: 429,
      body: { ok: false, description: 'Too Many Requests: retry after 1e+300', parameters: { retry_after: 1e300 } },
    });
    await bot.tell(message(somebody(), { text: 'x' }));
    await eventually(async () => (await bot.account()).inbound.status === 'failing', 'the failure');
    await sleep(2_000);
    const { calls: later } = await bot.seen();
    expect((later['getUpdates'] ?? 0) - (calls['getUpdates'] ?? 0)).toBeLessThan(5);
  });

  test('is for every workspace in turn, however many there are', async () => {
    const bots = await Promise.all(
      Array.from({ length: 7 }, async () => {
        const { live: own } = await newWorkspace();
        const bot = newBot();
        await own.post('/v1/telegram/accounts', { kind: 'bot', botToken: bot.token, inbound: 'polling' });
        return bot;
      }),
    );
    for (const bot of bots)
      await eventually(async () => ((await bot.seen()).calls['getUpdates'] ?? 0) > 0, 'each to be polled', 90_000);
  });

  test('goes on in another process when its own dies, and stores once what was fetched before', async () => {
    const bot = await connected('polling');
    const person = somebody();
    await bot.tell(message(person, { text: 'Before' }));
    await conversationWith(person, 1);
    const request = join(place('dataDir'), 'kill', 'CrmApi-WorkersPolls');
    await writeFile(request, '');
    await eventually(async () => !existsSync(request), 'the process to die');
    await bot.tell(message(person, { text: 'After' }));
    await conversationWith(person, 2);
  });

  test('begins where a webhook ends, and loses nothing on the way', async () => {
    const bot = await connected('webhook');
    const person = somebody();
    await bot.tell(message(person, { text: 'Before' }));
    await live.patch(`/v1/telegram/accounts/${bot.id}`, { inbound: 'polling' });
    await conversationWith(person, 1);
    await bot.tell(message(person, { text: 'After' }));
    await conversationWith(person, 2);
    expect((await bot.seen()).webhook).toBeUndefined();
    await live.post(`/v1/telegram/accounts/${bot.id}/disconnect`);
    await bot.tell(message(person, { text: 'Too late' }));
    expect((await bot.account()).inbound.status).toBe('off');
  });
});
