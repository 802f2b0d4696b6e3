import { dayMs, epochSeconds, shifted } from '#lib/core/clock.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { rowKey } from '#lib/table/keys.ts';
import { readRow } from '#lib/table/rows.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { hashOf } from './session.ts';

const keptDays = 400;

const keyOf = (email: string) => rowKey('signedIn', { by: hashOf(addressKey(email)) });

/** Notes, beside the session that begins, that whoever has an e-mail address came in; for 400 days. */
export const noteSignedIn = (tx: UnitOfWork, email: string) =>
  tx.write({
    key: keyOf(email),
    item: { expiresAtSeconds: epochSeconds(new Date(shifted(tx.now, keptDays * dayMs))) },
  });

/** Whether whoever has an e-mail address has come in, to whatever workspace: they want what they are mailed. No archive says so. */
export const hasSignedIn = async (email: string): Promise<boolean> => (await readRow(keyOf(email))) !== undefined;
