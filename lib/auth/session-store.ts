import * as v from 'valibot';
import { challenge, currentWindow } from '#lib/auth/identify-key.ts';
import type { Membership } from '#lib/core/caller.ts';
import { epochSeconds, fromNow, hourMs, minuteMs, shifted, timestamp } from '#lib/core/clock.ts';
import { Problem } from '#lib/core/problem.ts';
import { randomText } from '#lib/core/random.ts';
import { rowKey } from '#lib/table/keys.ts';
import { putRows, readRow } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Person, peopleOf } from '#lib/workspaces/people.ts';
import { hashOf, memberships, signInForm } from './session.ts';
import { noteSignedIn } from './signed-in.ts';

const signInMs = 15 * minuteMs;
const sessionMs = 12 * hourMs;

/** Letters and digits of which so many are 256 random bits. */
const secretLength = 43;

const named = (of: readonly Membership[]): Membership[] =>
  of.map(({ workspaceId, memberId, generation }) => ({ workspaceId, memberId, generation }));

const StoredSignIn = v.object({ memberships, expiresAt: v.string(), usedAt: v.optional(v.string()) });

const expiring = (expiresAt: string) => ({ expiresAt, expiresAtSeconds: epochSeconds(new Date(expiresAt)) });

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
  /** Members of a session; the first acts where the call names no other. At least one. */
  people: [Person, ...Person[]];
}

/**
 * Opens a session for whoever has such a token, and spends it: of several at the same moment one is let in. `record` is told who it
 * is, in the same transaction. Raises 401 for a token that is none, or of nobody who is an active member any more.
 */
export async function openSession(
  token: string,
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
  const expiresAt = shifted(now, sessionMs);
  const tenant = { workspaceId: first.workspaceId, env: 'live' } as const;
  await transact(tenant, { type: 'user', id: first.memberId }, async (tx) => {
    tx.write({ key, set: { usedAt: tx.now }, if: { absent: ['usedAt'], above: { expiresAt: tx.now } } }, invalidToken);
    tx.write({
      key: rowKey('session', { hash: hashOf(session) }),
      item: { memberships: named(people), window: currentWindow(), used: 0, ...expiring(expiresAt) },
    });
    noteSignedIn(tx, first.member.email);
    record(tx, first);
  });
  return { session, expiresAt, people: [first, ...others] };
}

/** Ends a session at once. */
export const endSession = (tx: UnitOfWork, hash: string) => tx.write({ key: rowKey('session', { hash }), item: null });
