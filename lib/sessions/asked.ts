import { epochSeconds } from '#lib/clock.ts';
import { currentWindow } from '#lib/keys/identify.ts';
import { addressKey } from '#lib/mail-address.ts';
import { rateLimited } from '#lib/problem.ts';
import { rowKey } from '#lib/table/keys.ts';
import { writeIf } from '#lib/table/update.ts';
import { hashOf } from './token.ts';

const perMinute = 5;

/**
 * Counts a link that is asked for: five a minute for an e-mail address, whether anybody has it or not, and five by one client. Raises 429.
 */
export async function countSignIn(email: string, ip: string): Promise<void> {
  const window = currentWindow();
  const counted = await Promise.all([`address ${addressKey(email)}`, `client ${ip}`].map((by) => count(by, window)));
  if (counted.every(Boolean)) return;
  const retryAfterSeconds = Math.max(1, window + 60 - epochSeconds());
  throw rateLimited('a link to sign in was asked for too often in this minute', retryAfterSeconds);
}

async function count(by: string, window: number): Promise<boolean> {
  const { item } = await writeIf({
    key: rowKey('signInsAsked', { by: hashOf(by), window }),
    add: { asked: 1 },
    set: { expiresAtSeconds: window + 120 },
    if: { any: [{ absent: ['asked'] }, { below: { asked: perMinute } }] },
  });
  return item !== undefined;
}
