import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { isMissing } from '#lib/aws/aws.ts';
import { invalidField, unavailable } from '#lib/core/problem.ts';
import type { StoredFile } from '#lib/entities/file.ts';
import type { FileForm, GivenForm } from '#lib/entities/import.ts';
import { readFile, readRange } from '#lib/files/bucket.ts';
import { withLocalFile } from '#lib/files/spool.ts';
import { Utf8Count } from './encoding.ts';
import { formOf } from './form.ts';
import { bytesOf, type KnownForm, UnreadableFile } from './rows.ts';

/** As much of a file as its form is found by. */
const beginningBytes = 1024 * 1024;

/** Returns the beginning of a file, and how its bytes are read. Raises 400 on `fileId`. Needs `read-files`. */
export async function beginningOf(
  { key, sizeBytes }: Pick<StoredFile, 'key' | 'sizeBytes'>,
  given: GivenForm,
): Promise<{ bytes: Buffer; form: FileForm; isWhole: boolean }> {
  const read = await readRange(key, 0, Math.min(sizeBytes, beginningBytes)).catch((error: unknown) => {
    if (isMissing(error))
      throw invalidField('fileId', 'not_allowed', 'fileId is no longer kept: upload the file again');
    throw unavailable(1, error);
  });
  const bytes = Buffer.from(read);
  return { bytes, form: formOf(bytes, given), isWhole: bytes.length >= sizeBytes };
}

/** Does something with a file that was brought to the disk. Throws UnreadableFile where the bucket has it no more. */
export const withSource = <Result>(key: string, work: (path: string) => Promise<Result>): Promise<Result> =>
  withLocalFile(async (path) => {
    const bytes = await readFile(key).catch((error: unknown) => {
      throw isMissing(error) ? new UnreadableFile('the file is no longer kept: upload it again') : error;
    });
    await pipeline(bytes, createWriteStream(path));
    return work(path);
  });

/** Returns the form of a file with the encoding that most of its bytes are in. */
export async function knownForm(path: string, form: FileForm): Promise<KnownForm> {
  if (form.encoding !== null) return { ...form, encoding: form.encoding };
  const count = new Utf8Count();
  for await (const chunk of bytesOf(path)) count.add(chunk);
  return { ...form, encoding: count.encoding ?? 'utf-8' };
}
