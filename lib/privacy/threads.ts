import { addressKey } from '#lib/core/mail-address.ts';
import { wordsOf } from '#lib/core/text.ts';
import { isOnlyOutsider } from '#lib/email/participants.ts';
import { type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { listNoun } from '#lib/search/list.ts';
import type { Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Returns threads of nobody whose only outsider has an address, in descending order of id. */
export const threadsOnlyWith = (
  tx: UnitOfWork,
  email: string,
  paging: { after?: number | undefined; limit: number },
): Promise<Page<StoredThread>> => {
  const matches = (thread: StoredThread) => isOnlyOutsider(tx.tenant, thread, email);
  const words = wordsOf(addressKey(email));
  return listNoun(tx, Threads, { ...paging, matches, words, columns: ['contactId', 'participants'] });
};
