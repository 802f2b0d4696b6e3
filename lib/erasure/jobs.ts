import type { Platform } from '#lib/channels/channel.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { fail } from '#lib/sending/end.ts';
import type { Where } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eraseFiles } from './files.ts';
import type { Count, Part } from './part.ts';
import type { Erasing } from './start.ts';

/** Takes a job away, canceled where it was still to be sent: who has it in hand finds nothing to write down. */
export async function eraseJob(tx: UnitOfWork, job: StoredJob, count: Count): Promise<void> {
  if (job.status === 'queued') await fail(tx, job, 'canceled');
  tx.delete(Jobs, job);
  count('jobs');
}

type State = Pick<Erasing, 'contactId' | 'names' | 'senderIds'>;

/** Takes away what is still to be sent to a contact, also to its names. */
export async function eraseQueued(tx: UnitOfWork, state: State, count: Count): Promise<Part> {
  const part = await eraseJobsOf(tx, state, { contact: state.contactId, status: 'queued' }, count);
  return part.isLeft ? part : eraseJobsNaming(tx, { ...state, ...part }, count);
}

/** Takes away the jobs of a contact, all or those of a status. */
export async function eraseJobsOf(
  tx: UnitOfWork,
  { senderIds }: State,
  where: Where<typeof Jobs>,
  count: Count,
): Promise<Part> {
  const { items, hasMore } = await listPage(tx, Jobs, { where, limit: 20 });
  const senders = new Set(senderIds);
  for (const job of items) {
    if (!tx.hasRoom) return { isLeft: true, senderIds: [...senders] };
    await eraseJob(tx, job, count);
    if (job.accountId !== null) senders.add(job.accountId);
  }
  return { isLeft: hasMore, senderIds: [...senders] };
}

/** Whether a contact is known by this name: `telegram/4711`, `telegram/@anna`. */
async function isNameOfAnother(tx: UnitOfWork, name: string): Promise<boolean> {
  const slash = name.indexOf('/');
  const [channel, known] = [name.slice(0, slash) as Platform, name.slice(slash + 1)];
  const where = known.startsWith('@')
    ? { handle: { platform: channel, username: known.slice(1) } }
    : { identity: { channel, userId: known } };
  return (await listPage(tx, Contacts, { where, limit: 1 })).items.length > 0;
}

/**
 * Takes away what was sent, or is to be sent, to somebody by name and not as a contact, with its messages; but for names that another
 * contact has.
 */
export async function eraseJobsNaming(tx: UnitOfWork, { names, senderIds }: State, count: Count): Promise<Part> {
  const senders = new Set(senderIds);
  const part = (isLeft: boolean): Part => ({ isLeft, senderIds: [...senders] });
  for (const stated of names) {
    if (await isNameOfAnother(tx, stated)) continue;
    const { items, hasMore } = await listPage(tx, Jobs, { where: { stated }, limit: 20 });
    for (const job of items) {
      if (!tx.hasRoom) return part(true);
      const message = await tx.find(Messages, { contactId: null, id: job.messageId });
      await eraseJob(tx, job, count);
      if (job.accountId !== null) senders.add(job.accountId);
      if (!message) continue;
      await eraseFiles(tx, message);
      tx.delete(Messages, message);
      count('messages');
    }
    if (hasMore) return part(true);
  }
  return part(false);
}
