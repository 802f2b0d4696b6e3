import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { epochSeconds } from '#lib/core/clock.ts';
import { place } from '#test/place.ts';
import type { FileAtTelegram, SentFile } from '#test/telegram/bot-double.ts';
import type { Reaction } from '#test/telegram/double.ts';

/** What Telegram has of a bot. */
export interface Seen {
  me: { id: number; username: string; first_name: string };
  webhook?: { url: string; secretToken: string; allowedUpdates: string[]; maxConnections: number };
  calls: Record<string, number>;
  pending: number;
  stored: { to: string; text: string; method?: string; files?: SentFile[] }[];
  posted: { told: number[]; statuses: number[] };
}

let lastMessageId = 0;

/** A bot at the double of Telegram, which people write to. */
export function newBot(token: string = randomUUID()) {
  const url = `${place('providerUrl')}/double/${token}`;
  const command = async (given: object): Promise<Seen> => {
    const { body } = await request(url, { method: 'POST', body: JSON.stringify(given) });
    return (await body.json()) as Seen;
  };
  return {
    token,
    command,
    seen: () => command({}),
    react: (...reactions: Reaction[]) => command({ reactions }),
    tell: (...updates: object[]) => command({ tell: updates }),
    /** Files that people have sent it lie at Telegram. */
    hold: (files: Record<string, FileAtTelegram>) => command({ files }),
    /** Telegram posts what waits to the bot's webhook. */
    async post(): Promise<number[]> {
      return (await command({ post: place('baseUrl') })).posted.statuses;
    },
  };
}

export interface Person {
  id: number;
  first_name: string;
  last_name?: string;
  username?: string;
}

let lastPersonId = 50_000;

export const newPerson = (names: Partial<Person> = {}): Person => {
  lastPersonId += 1;
  return { id: lastPersonId, first_name: 'Anna', ...names };
};

/** What somebody writes to a bot, as Telegram tells of it. */
export function message(from: Person, content: object) {
  lastMessageId += 1;
  const base = { message_id: lastMessageId, date: epochSeconds(), chat: { ...from, type: 'private' }, from };
  return { message: { ...base, ...content } };
}

/** An edit of it. */
export const edited = (
  { message: before }: ReturnType<typeof message>,
  content: object,
  editDate = epochSeconds(),
) => ({
  edited_message: { ...before, ...content, edit_date: editDate },
});

export const memberUpdate = (from: Person, status: string, date = epochSeconds()) => ({
  my_chat_member: {
    date,
    chat: { ...from, type: 'private' },
    from,
    old_chat_member: { status: status === 'kicked' ? 'member' : 'kicked' },
    new_chat_member: { status },
  },
});
