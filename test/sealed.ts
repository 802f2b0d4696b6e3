import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKey, seal } from '#infra/local/kms/key.ts';

/** A secret as a deployment finds it that was made anew, with a key of its own, beside the table of the old one. */
export async function sealedByAnother(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-key-'));
  const key = await openKey(join(folder, 'kms.json'));
  await rm(folder, { recursive: true });
  return seal(key, Buffer.from('another'), {}).toString('base64');
}
