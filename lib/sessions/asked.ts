import { epochSeconds } from '#lib/clock.ts';
import { currentWindow } from '#lib/keys/identify.ts';
import { addressKey } from '#lib/mail-address.ts';
import { clientNetwork } from '#lib/network/addresses.ts';
import { rateLimited } from '#lib/problem.ts';
import { rowKey } from '#lib/table/keys.ts';
import { writeIf } from '#lib/table/update.ts';
import { hashOf } from './token.ts';

const perMinute = 5;
const perDay = 50;
const toStrangersPerDay = 5;

/**
 * Counts a link that is asked for: five a minute by one client, fifty a day for an e-mail address by one client, and five a minute for an address,
 * whether anybody has it or not. In this order: who is refused for what they have asked takes nothing of what the address has. Raises 429.
 */
export async function countSignIn(email: string, ip: string): Promise<void> {
  const address = `address ${addressKey(email)}`;
  const client = clientNetwork(ip);
  const minute = { window: currentWindow(), seconds: 60 };
  const day = currentDay();
  if (!(await count(`client ${client}`, minute, perMinute))) throw tooOften('minute', minute);
  if (!(await count(`day of ${address} by ${client}`, day, perDay))) throw tooOften('day', day);
  if (!(await count(address, minute, perMinute))) throw tooOften('minute', minute);
}

/**
 * Counts an invitation, or a link to who has never signed in, that is mailed to an address: five a day, whoever invites. Returns what
 * takes it back where no mail left; undefined beyond.
 */
export async function countToStranger(email: string): Promise<(() => Promise<void>) | undefined> {
  const by = `invitations of ${addressKey(email)}`;
  const day = currentDay();
  const isCounted = await count(by, day, toStrangersPerDay);
  return isCounted ? () => uncount(by, day) : undefined;
}

/** From a time in Unix seconds. */
interface Span {
  window: number;
  seconds: number;
}

const daySeconds = 86_400;
const currentDay = (): Span => ({ window: Math.floor(epochSeconds() / daySeconds) * daySeconds, seconds: daySeconds });

const tooOften = (name: string, { window, seconds }: Span) =>
  rateLimited(
    `a link to sign in was asked for too often in this ${name}`,
    Math.max(1, window + seconds - epochSeconds()),
  );

async function count(by: string, { window, seconds }: Span, most: number): Promise<boolean> {
  const { item } = await writeIf({
    key: keyOf(by, window),
    add: { asked: 1 },
    set: { expiresAtSeconds: window + 2 * seconds },
    if: { any: [{ absent: ['asked'] }, { below: { asked: most } }] },
  });
  return item !== undefined;
}

const uncount = async (by: string, { window }: Span): Promise<void> => {
  await writeIf({ key: keyOf(by, window), add: { asked: -1 }, if: { present: ['asked'] } });
};

const keyOf = (by: string, window: number) => rowKey('signInsAsked', { by: hashOf(by), window });
