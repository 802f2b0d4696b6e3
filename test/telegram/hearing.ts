import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { dayMs, epochSeconds, fromNow } from '#lib/core/clock.ts';
import { type Client, eventually } from '#test/client.ts';
import { edited, memberUpdate, message, newBot, newPerson, type Person } from '#test/telegram/bot.ts';

/** Bots of a workspace, and the people who write to them. */
export function bots(place: () => Client) {
  /** A connected bot that hears. */
  async function connected(inbound: 'webhook' | 'polling') {
    const bot = newBot();
    const { body } = await place().post('/v1/telegram/accounts', { kind: 'bot', botToken: bot.token, inbound });
    const account = async () => (await place().get(`/v1/telegram/accounts/${body.id}`)).body;
    await eventually(async () => (await account()).inbound.status === 'ok', 'the bot to hear');
    return { ...bot, id: body.id as number, account };
  }

  /** The contact that somebody has become, once there are so many messages. */
  async function conversationWith(person: Person, count: number) {
    const find = async () => {
      const { body } = await place().get('/v1/contacts', { q: person.first_name, platform: 'telegram', limit: 100 });
      const [contact] = body.items.filter(({ name }: { name: string }) => name.startsWith(person.first_name));
      if (!contact) return false;
      const { items } = (await place().get(`/v1/contacts/${contact.id}/messages`)).body;
      return items.length === count && { contact, messages: items };
    };
    return eventually(find, `${count} messages of ${person.first_name}`, 50_000);
  }

  return { connected, conversationWith };
}

let lastName = 0;
/** Somebody whom nobody knows yet. */
export function somebody(names: Partial<Person> = {}): Person {
  lastName += 1;
  return newPerson({ first_name: `Person-${lastName}-${randomBytes(4).toString('hex')}`, ...names });
}

/** Describes a bot that hears so. */
export function hearsBy(mode: 'webhook' | 'polling', place: () => Client): void {
  const { connected, conversationWith } = bots(place);
  describe(`a bot that hears by ${mode}`, () => {
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
        place().post('/v1/telegram/messages', { accountId: bot.id, contactId: contact.id, text: 'Hi', ...more });
      const tomorrow = fromNow(dayMs);
      const { body: queued } = await send({ runAt: tomorrow });
      const date = epochSeconds();
      await deliver(memberUpdate(person, 'kicked', date));
      const failed = await eventually(async () => {
        const { body } = await place().get(`/v1/jobs/${queued.id}`);
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
}
