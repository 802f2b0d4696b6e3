import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { place } from '#test/place.ts';

/** The mails that SES took, in which this text is. */
export async function sentWith(text: string): Promise<string[]> {
  const dir = join(place('dataDir'), 'mail');
  const files = (await readdir(dir)).filter((file) => file.endsWith('.eml'));
  const mails = await Promise.all(files.map((file) => readFile(join(dir, file), 'utf8')));
  return mails.filter((mail) => mail.includes(text));
}
