import * as v from 'valibot';
import { challenge, currentWindow } from '#lib/auth/identify-key.ts';
import type { Membership } from '#lib/core/caller.ts';
import { fromNow, minuteMs, shifted, timestamp } from '#lib/core/clock.ts';
import { notFound, Problem } from '#lib/core/problem.ts';
import { randomText } from '#lib/core/random.ts';
import { firstCharacters } from '#lib/core/text.ts';
import { clientNetwork } from '#lib/network/addresses.ts';
import { identity, rowKey } from '#lib/table/keys.ts';
import { putRows, readRow, readRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Person, peopleOf } from '#lib/workspaces/people.ts';
import { expiring, hashOf, maxSessionMs, memberships, StoredSession, signInForm, usedAt } from './session.ts';
import { noteSignedIn, sessionsOf } from './signed-in.ts';

const signInMs = 15 * minuteMs;

/** Limit of one person; the oldest ends when one more begins. */
const maxSessions = 20;

/** Letters and digits of which so many are 256 random bits. */
const secretLength = 43;

const named = (of: readonly Membership[]): Membership[] =>
  of.map(({ workspaceId, memberId, generation }) => ({ workspaceId, memberId, generation }));

const StoredSignIn = v.object({ memberships, expiresAt: v.string(), usedAt: v.optional(v.string()) });

/** A token that lets somebody in once, within 15 minutes: it stands in the link of a mail, and in the table as its hash alone. */
export async function createSignIn(of: readonly Membership[]): Promise<string> {
  const token = randomText(secretLength);
  const key = rowKey('signIn', { hash: hashOf(token) });
  await putRows([{ ...key, memberships: named(of), ...expiring(fromNow(signInMs)) }]);
  return token;
}

const invalidToken = () =>
  new Problem(
    'unauthorized',
    'the link is unknown, was used, or is older than 15 minutes: request a new one',
    { reason: 'invalid_token' },
    challenge,
  );

export interface NewSession {
  session: string;
  expiresAt: string;
  endsAt: string;
  /** Members of a session; the first acts where the call names no other. At least one. */
  people: [Person, ...Person[]];
}

/**
 * Opens a session for whoever has such a token, and spends it: of several at the same moment one is let in. `record` is told who it
 * is, in the same transaction. Raises 401 for a token that is none, or of nobody who is an active member any more.
 */
export async function openSession(
  token: string,
  { ip, userAgent }: { ip: string; userAgent: string | null },
  record: (tx: UnitOfWork, person: Person) => void,
): Promise<NewSession> {
  const key = rowKey('signIn', { hash: hashOf(token) });
  const row = signInForm.test(token) ? await readRow(key) : undefined;
  const now = timestamp();
  const stored = row && v.parse(StoredSignIn, row);
  if (!stored || stored.usedAt !== undefined || stored.expiresAt <= now) throw invalidToken();
  const people = await peopleOf(stored.memberships);
  const [first, ...others] = people;
  if (first === undefined) throw invalidToken();
  const session = `cps_${randomText(secretLength)}`;
  const hash = hashOf(session);
  const endsAt = shifted(now, maxSessionMs);
  const use = usedAt(now, endsAt);
  const { email } = first.member;
  const tenant = { workspaceId: first.workspaceId, env: 'live' } as const;
  await transact(tenant, { type: 'user', id: first.memberId }, async (tx) => {
    tx.write({ key, set: { usedAt: tx.now }, if: { absent: ['usedAt'], above: { expiresAt: tx.now } } }, invalidToken);
    tx.write({
      key: sessionKey(hash),
      item: {
        memberships: named(people),
        window: currentWindow(),
        used: 0,
        ...use,
        endsAt,
        createdAt: now,
        ip: networkOf(ip),
        userAgent: userAgent && firstCharacters(userAgent, 120),
      },
    });
    const before = await sessionsOf(email);
    const open = (await openSessions(before)).map((one) => one.hash);
    for (const oldest of open.slice(0, Math.max(0, open.length + 1 - maxSessions))) endSession(tx, oldest);
    noteSignedIn(tx, email, before, [...open.slice(-maxSessions + 1), hash]);
    record(tx, first);
  });
  return { session, expiresAt: use.expiresAt, endsAt, people: [first, ...others] };
}

const sessionKey = (hash: string) => rowKey('session', { hash });

/** Returns an address as its owner knows it again: `203.0.113.*`, `2001:db8:0:*`. */
const networkOf = (ip: string) =>
  ip.includes(':') ? `${clientNetwork(ip)}:*` : ip.split('.').slice(0, 3).concat('*').join('.');

/** Ends a session at once. */
export const endSession = (tx: UnitOfWork, hash: string) => tx.write({ key: sessionKey(hash), item: null });

/** Returns those of the sessions that have not ended, in the same order. */
async function openSessions(hashes: readonly string[]) {
  const rows = await readRows(hashes.map(sessionKey));
  const now = timestamp();
  return hashes.flatMap((hash) => {
    const row = rows.get(identity(sessionKey(hash)));
    const session = row && v.parse(StoredSession, row);
    return session && session.expiresAt > now ? [{ hash, ...session }] : [];
  });
}

/** Returns the part of a hash that names a session to its owner, and opens nothing. */
const idOf = (hash: string) => hash.slice(0, 16);

/** Returns the open sessions of the person with this e-mail address, newest first. */
export async function listSessions(email: string, current: string) {
  const open = await openSessions(await sessionsOf(email));
  return open.reverse().map(({ hash, ...session }) => ({ ...session, id: idOf(hash), isCurrent: hash === current }));
}

/** Ends one session of the person with this e-mail address. Raises 404. */
export async function endOneSession(tx: UnitOfWork, email: string, id: string): Promise<void> {
  const hash = (await sessionsOf(email)).find((one) => idOf(one) === id);
  if (hash === undefined || (await openSessions([hash])).length === 0) throw notFound('session');
  endSession(tx, hash);
}

/** Ends all sessions of the person with this e-mail address but the current one. Returns how many. */
export async function endOtherSessions(tx: UnitOfWork, email: string, current: string): Promise<number> {
  const others = (await openSessions(await sessionsOf(email))).filter(({ hash }) => hash !== current);
  for (const { hash } of others) endSession(tx, hash);
  return others.length;
}
