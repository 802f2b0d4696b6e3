import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Client, eventually } from '#test/client.ts';
import { place } from '#test/place.ts';
import { message, newBot } from '#test/telegram/bot.ts';
import { bots, hearsBy, somebody } from '#test/telegram/hearing.ts';
import { newWorkspace } from '#test/workspace.ts';

let live: Client;
beforeAll(async () => {
  live = (await newWorkspace()).live;
});
const { connected, conversationWith } = bots(() => live);

hearsBy('polling', () => live);

describe('polling', () => {
  test('reports that another server has taken the bot, and resumes automatically', async () => {
    const bot = await connected('polling');
    await bot.command({ webhookUrl: 'https://elsewhere.example/', tell: [message(somebody(), { text: 'x' })] });
    const { inbound } = await eventually(async () => {
      const account = await bot.account();
      return account.inbound.status === 'failing' && account;
    }, 'the failure');
    expect(inbound.lastError).toMatch(/^Telegram answered 409: Conflict: can't use getUpdates/);
  });

  test('waits as long as Telegram demands', async () => {
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

  test('serves every workspace in turn', async () => {
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

  test('resumes in another process when its own dies, and stores each fetched message once', async () => {
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
