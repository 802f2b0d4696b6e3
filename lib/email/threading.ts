import { dayMs, shifted } from '#lib/core/clock.ts';
import { isReplySubject, topicOf } from '#lib/core/mail-subject.ts';
import { normalize, type StoredContact } from '#lib/entities/contact.ts';
import { valuesOf } from '#lib/entities/contact-address.ts';
import { MessageIds } from '#lib/entities/email-message.ts';
import { type StoredThread, Threads, topicMark } from '#lib/entities/email-thread.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Mail } from './mail.ts';
import { takesPart } from './participants.ts';

const topicDays = 30;
/** Limit for the threads that are compared: the sender's newest on a topic, and the closest that a mail answers. */
const maxLookedAt = 10;

/**
 * The thread that a mail belongs to: that of the closest message it names as answered, of those in which its sender takes part;
 * else, for a subject that says it is a reply, the newest thread of the last 30 days on the same topic in which its sender wrote
 * or was written to by us. Who only knows a Message-ID, or whom a stranger names, is drawn into no thread of others.
 */
export async function findThread(tx: UnitOfWork, mail: Mail): Promise<StoredThread | undefined> {
  const known = await tx.findAll(
    MessageIds,
    mail.references.map((messageId) => ({ messageId })),
  );
  const ids = [...new Set(known.map(({ threadId }) => threadId))].slice(0, maxLookedAt);
  const answered = await tx.findAll(
    Threads,
    ids.map((id) => ({ id })),
  );
  for (const thread of answered)
    if (takesPart(thread, mail.from.email) || (await writerIn(tx, thread, mail.from.email))) return thread;
  if (!isReplySubject(mail.subject) || topicOf(mail.subject) === '') return undefined;
  const since = shifted(tx.now, -topicDays * dayMs);
  const { items } = await listPage(tx, Threads, {
    limit: maxLookedAt,
    where: { topic: topicMark(mail.subject, mail.from.email) },
  });
  return items.find(({ lastMessageAt }) => lastMessageAt >= since);
}

/** Returns the contact of a thread if it has an address: of all who have that, this one writes there. */
export async function writerIn(
  tx: UnitOfWork,
  { contactId }: StoredThread,
  email: string,
): Promise<StoredContact | undefined> {
  const contact = contactId === null ? undefined : await resolveMerged(tx, contactId);
  const key = normalize.email(email);
  return contact && valuesOf(contact, 'email').some((one) => normalize.email(one) === key) ? contact : undefined;
}
