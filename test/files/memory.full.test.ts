import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newBot } from '#test/telegram/bot.ts';
import { startDataCentre } from '#test/telegram/data-centre.ts';

const run = promisify(execFile);
const mb = 1024 * 1024;

/** The most memory of a process that does this with a file of so many bytes. */
async function memoryOf(kind: string, sizeBytes: number, account = [newBot().token]): Promise<number> {
  const script = join(import.meta.dirname, 'moving.ts');
  const { stdout } = await run(process.execPath, [script, kind, String(sizeBytes), ...account]);
  return Number(stdout);
}

test.each([
  ['fetching a file of 100 MB', 'fetch', 100 * mb],
  ['sending one of 50 MB by a bot', 'bot', 50 * mb],
  ['reading one of 100 MB as a form', 'form', 100 * mb],
])('%s takes less than 256 MB', async (_, kind, sizeBytes) => {
  expect(await memoryOf(kind, sizeBytes)).toBeLessThan(256 * mb);
});

test.each([
  ['fetching one of 100 MB', 'user fetches', 100 * mb],
  ['sending one of 50 MB', 'user sends', 50 * mb],
])('%s by the account of a person takes less than 256 MB', async (_, kind, sizeBytes) => {
  const centre = await startDataCentre();
  const id = centre.box.write(1, '', { media: centre.files.add({ sizeBytes }) });
  try {
    expect(await memoryOf(kind, sizeBytes, [centre.session, String(id)])).toBeLessThan(256 * mb);
  } finally {
    await centre.close();
  }
});

test('a mail with 25 MB of files takes less than its worker has', async () => {
  expect(await memoryOf('mail', 25 * mb)).toBeLessThan(512 * mb);
});
