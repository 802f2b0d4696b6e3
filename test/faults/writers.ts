import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Caller } from '#test/faults/caller.ts';
import type { Random } from '#test/faults/random.ts';
import type { FaultySystem } from '#test/faults/system.ts';

/** A message as it must be stored in the end. */
interface Written {
  accountId: number;
  /** Who has written it. */
  name: string;
  body: string;
  /** Of its file. */
  sha256: string | undefined;
}

/** What Telegram has of a bot. */
interface Seen {
  webhook?: { url: string; secretToken: string };
  pending: number;
}

type Update = { update_id: number } & Record<string, unknown>;

const people = 4;
const firstPersonId = 900_000;
const giveUpMs = 180_000;
const pauseMs = 200;
const maxFileBytes = 300_000;

/**
 * People who write to two bots, of which one has a webhook and one polls. Telegram tells the bots of it twice, late and in the wrong
 * order, and the functions that hear are killed while they do: between the answer of Telegram, the store and the offset, and between a
 * file's bytes and the bucket.
 */
export class Writers {
  readonly #system: FaultySystem;
  readonly #bots: readonly Bot[];
  readonly written: Written[] = [];
  /** How many updates said again what another had said. */
  again = 0;
  #lastMessageId = 0;

  private constructor(system: FaultySystem, bots: readonly Bot[]) {
    this.#system = system;
    this.#bots = bots;
  }

  static async meet(
    system: FaultySystem,
    calls: Caller,
    providerUrl: string,
    randoms: { webhook: Random; polling: Random },
  ): Promise<Writers> {
    const bots: Bot[] = [];
    for (const mode of ['webhook', 'polling'] as const) {
      const token = randomUUID();
      const given = { kind: 'bot', botToken: token, name: mode, inbound: mode };
      const { id } = await calls.send('POST', '/v1/telegram/accounts', given, randomUUID());
      bots.push(new Bot(id, mode, `${providerUrl}/double/${token}`, randoms[mode]));
    }
    return new Writers(system, bots);
  }

  /** So many messages to each bot. Ends when Telegram has told of all of them: each 200 and each offset stands for a stored one. */
  async write(count: number): Promise<void> {
    await Promise.all(this.#bots.map((bot) => this.#writeTo(bot, count)));
  }

  async #writeTo(bot: Bot, count: number): Promise<void> {
    let updates: Update[] = [];
    for (let index = 0; index < count; index += 1) updates.push(...(await this.#message(bot, index)));
    updates = this.#shuffled(bot, updates);
    while (updates.length > 0) {
      const some = updates.splice(0, bot.random.between(1, 6));
      const killed = this.#kill(bot, bot.mode === 'polling' ? 'WorkersPolls' : 'HooksTelegram');
      await (bot.mode === 'polling' ? bot.command({ tell: some, asIs: true }) : this.#post(bot, some));
      await killed;
      await this.#kill(bot, 'WorkersStoreAttachments');
      await sleep(bot.random.between(0, 2 * pauseMs));
    }
    if (bot.mode === 'polling')
      await until(
        async () => (await bot.command({})).pending === 0,
        `the updates of bot ${bot.accountId} to be confirmed`,
      );
  }

  /** Of what is written now and then a function dies, a moment after it has begun. */
  async #kill(bot: Bot, name: string): Promise<void> {
    if (!bot.random.chance(0.15)) return;
    await sleep(bot.random.between(0, pauseMs));
    this.#system.killFunction(name);
  }

  /** What Telegram tells of one message: the message, now and then an edit of it, now and then one of them again. */
  async #message(bot: Bot, index: number): Promise<Update[]> {
    this.#lastMessageId += 1;
    const person = index % people;
    const name = `Writer ${bot.mode} ${person}`;
    const from = { id: firstPersonId + bot.accountId * people + person, first_name: name };
    const isLate = bot.random.chance(0.2);
    const date = Math.floor(Date.now() / 1000) - (isLate ? 3600 : 0);
    const text = `written ${bot.accountId}/${index}`;
    const base = { message_id: this.#lastMessageId, date, chat: { ...from, type: 'private' }, from };
    const isFile = index % 4 === 0;
    const isEdited = !isFile && bot.random.chance(0.3);
    const file = isFile ? await this.#file(bot, index) : undefined;
    const told: object[] = [
      { message: { ...base, ...(file ? { caption: text, document: file.document } : { text }) } },
    ];
    const edited = `${text}, edited`;
    if (isEdited) told.push({ edited_message: { ...base, text: edited, edit_date: date + 1 } });
    if (bot.random.chance(0.4)) {
      told.push(bot.random.pick(told));
      this.again += 1;
    }
    this.written.push({ accountId: bot.accountId, name, body: isEdited ? edited : text, sha256: file?.sha256 });
    return told.map((update) => ({ ...update, update_id: 0 }));
  }

  async #file(bot: Bot, index: number) {
    const bytes = Buffer.alloc(bot.random.between(1, maxFileBytes), `file ${bot.accountId}/${index}, `);
    const file_id = `${bot.accountId}-${index}`;
    await bot.command({ files: { [file_id]: { path: `documents/${file_id}`, base64: bytes.toString('base64') } } });
    return {
      document: { file_id, file_name: `${file_id}.txt`, mime_type: 'text/plain', file_size: bytes.length },
      sha256: sha256(bytes),
    };
  }

  /** Neighbours change places; Telegram's ids rise all the same. The same update may also come twice. */
  #shuffled(bot: Bot, updates: Update[]): Update[] {
    const places = updates.map((update, index) => ({ update, at: index + bot.random.between(0, 6) }));
    const inOrder = places
      .toSorted((a, b) => a.at - b.at)
      .map(({ update }, index) => ({ ...update, update_id: index + 1 }));
    return inOrder.flatMap((update) => (bot.random.chance(0.1) ? [update, update] : [update]));
  }

  /** As Telegram posts: side by side, each until its 200. */
  async #post(bot: Bot, updates: readonly Update[]): Promise<void> {
    await Promise.all(
      updates.map((update) =>
        until(async () => (await this.#posted(bot, update)) === 200, `update ${update.update_id}`),
      ),
    );
  }

  async #posted(bot: Bot, update: Update): Promise<number | undefined> {
    const { baseUrl } = this.#system;
    const { webhook } = await bot.command({});
    if (!webhook || baseUrl === undefined) return undefined;
    const answered = request(`${baseUrl}${new URL(webhook.url).pathname}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': webhook.secretToken },
      body: JSON.stringify(update),
      headersTimeout: 35_000,
    });
    return answered.then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      },
      () => undefined,
    );
  }
}

class Bot {
  readonly accountId: number;
  readonly mode: 'webhook' | 'polling';
  readonly random: Random;
  readonly #url: string;

  constructor(accountId: number, mode: 'webhook' | 'polling', url: string, random: Random) {
    this.accountId = accountId;
    this.mode = mode;
    this.#url = url;
    this.random = random;
  }

  async command(given: object): Promise<Seen> {
    const { body } = await request(this.#url, { method: 'POST', body: JSON.stringify(given) });
    return (await body.json()) as Seen;
  }
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + giveUpMs;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`waited ${giveUpMs} ms for ${what}`);
    await sleep(pauseMs);
  }
}
