import { currentWindow } from '#lib/auth/identify-key.ts';
import { epochSeconds } from '#lib/core/clock.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { rateLimited } from '#lib/core/problem.ts';
import { clientNetwork } from '#lib/network/addresses.ts';
import { rowKey } from '#lib/table/keys.ts';
import { writeIf } from '#lib/table/write.ts';
import { hashOf } from './session.ts';

const perMinute = 5;
const perDay = 50;
const invitationsPerDay = 5;
/** Anybody may ask: nobody alone uses up what an address is mailed. */
const toStrangersPerDay = { ofClient: 3, ofAll: 20 };

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

/** Takes a count back. */
export type Uncount = () => Promise<void>;

/** Counts an invitation that is mailed to an address: five a day, whoever invites. Undefined beyond. */
export const countInvitation = (email: string): Promise<Uncount | undefined> =>
  counted(`invitations of ${addressKey(email)}`, currentDay(), invitationsPerDay);

/**
 * Counts a link that is mailed to who has never signed in: three a day for each client that asks, twenty for all of them. Undefined
 * beyond.
 */
export async function countToStranger(email: string, client: string): Promise<Uncount | undefined> {
  const address = addressKey(email);
  const day = currentDay();
  const own = await counted(`links of ${address} by ${client}`, day, toStrangersPerDay.ofClient);
  const all = own && (await counted(`links of ${address}`, day, toStrangersPerDay.ofAll));
  if (own && !all) await own();
  return own && all && (async () => void (await Promise.all([own(), all()])));
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
    `too many sign-in links were requested in this ${name}: use the newest one, or wait for Retry-After`,
    Math.max(1, window + seconds - epochSeconds()),
  );

async function count(by: string, { window, seconds }: Span, most: number): Promise<boolean> {
  const { item } = await writeIf({
    key: keyOf(by, window),
    add: { count: 1 },
    set: { expiresAtSeconds: window + 2 * seconds },
    if: { any: [{ absent: ['count'] }, { below: { count: most } }] },
  });
  return item !== undefined;
}

async function counted(by: string, span: Span, most: number): Promise<Uncount | undefined> {
  return (await count(by, span, most)) ? () => uncount(by, span) : undefined;
}

const uncount = async (by: string, { window }: Span): Promise<void> => {
  await writeIf({ key: keyOf(by, window), add: { count: -1 }, if: { present: ['count'] } });
};

const keyOf = (by: string, window: number) => rowKey('signInCounts', { by: hashOf(by), window });
