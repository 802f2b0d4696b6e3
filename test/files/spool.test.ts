import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { minuteMs, now } from '#lib/core/clock.ts';
import { readFile } from '#lib/files/bucket.ts';
import { storeStream } from '#lib/files/spool.ts';

async function* some(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

test('a stream that is stored takes away what killed invocations left, and not what others write', async () => {
  const folderOf = (ms: number) => join(tmpdir(), `crm-api-file-${now() - ms}-x`);
  const [left, others] = [folderOf(16 * minuteMs), folderOf(14 * minuteMs)];
  for (const folder of [left, others]) mkdirSync(folder);
  expect(await storeStream('messages/1/live/spooled', some('one', 'two'), 6)).toBe(6);
  expect([left, others].map(existsSync)).toEqual([false, true]);
  expect((await (await readFile('messages/1/live/spooled')).toArray()).join('')).toBe('onetwo');
});

test('a stream of more bytes than were allowed is not stored', async () => {
  expect(await storeStream('messages/1/live/too-long', some('one', 'two'), 5)).toBeUndefined();
  await expect(readFile('messages/1/live/too-long')).rejects.toThrow('does not exist');
});
