import * as v from 'valibot';
import { dayMs, epochSeconds, shifted } from '#lib/core/clock.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { rowKey } from '#lib/table/keys.ts';
import { readRow } from '#lib/table/rows.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { hashOf } from './session.ts';

const keptDays = 400;

const keyOf = (email: string) => rowKey('signedIn', { by: hashOf(addressKey(email)) });

const Stored = v.object({ sessions: v.array(v.string()) });

/** Returns the hashes of the sessions of an e-mail address, oldest first; some may have ended. */
export async function sessionsOf(email: string): Promise<string[]> {
  const row = await readRow(keyOf(email));
  return row ? v.parse(Stored, row).sessions : [];
}

/** Writes, beside the session that begins, that somebody with this e-mail address has signed in, and their sessions; for 400 days. */
export const noteSignedIn = (tx: UnitOfWork, email: string, before: readonly string[], sessions: readonly string[]) =>
  tx.write({
    key: keyOf(email),
    item: { sessions, expiresAtSeconds: epochSeconds(new Date(shifted(tx.now, keptDays * dayMs))) },
    if: before.length === 0 ? { absent: ['sessions'] } : { is: { sessions: before } },
  });

/** Whether whoever has an e-mail address has come in, to whatever workspace: they want what they are mailed. No archive says so. */
export const hasSignedIn = async (email: string): Promise<boolean> => (await readRow(keyOf(email))) !== undefined;
