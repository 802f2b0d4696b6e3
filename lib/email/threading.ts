import { dayMs, shifted } from '#lib/clock.ts';
import { listIndexed } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { sameAddress } from './address.ts';
import type { Mail } from './mail.ts';
import { MessageIds } from './message.ts';
import { isReplySubject, type StoredThread, Threads, topicIndex, topicOf } from './thread.ts';

const topicDays = 30;

/**
 * The thread that a mail belongs to: that of the closest message it names as answered; without such names, for a subject that
 * says it is a reply, the newest thread of the last 30 days on the same topic in which its sender takes part.
 */
export async function findThread(tx: Transaction, mail: Mail): Promise<StoredThread | undefined> {
  const [known] = await tx.findAll(
    MessageIds,
    mail.references.map((messageId) => ({ messageId })),
  );
  if (known) return tx.find(Threads, { id: known.threadId });
  if (!isReplySubject(mail.subject) || topicOf(mail.subject) === '') return undefined;
  const since = shifted(tx.now, -topicDays * dayMs);
  const threads = await listIndexed(tx, Threads, topicIndex(mail.subject));
  return threads.find(
    ({ lastMessageAt, participants }) =>
      lastMessageAt >= since && participants.some(({ email }) => sameAddress(email, mail.from.email)),
  );
}
