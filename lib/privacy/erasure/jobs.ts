import type { Platform } from '#lib/core/channel.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import type { Where } from '#lib/table/entity.ts';
import { listPage, stepThrough } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fail } from '#lib/transport/sending/end.ts';
import { eraseFiles } from './files.ts';
import { type Count, maxIds, type Part } from './part.ts';
import type { Erasing } from './start.ts';

/** Takes a job away, canceled where it was still to be sent: who has it in hand finds nothing to write down. */
export async function eraseJob(tx: UnitOfWork, job: StoredJob, count: Count): Promise<void> {
  if (job.status === 'queued') await fail(tx, job, 'canceled');
  tx.delete(Jobs, job);
  count('jobs');
}

type State = Pick<Erasing, 'contactId' | 'names' | 'senderIds' | 'place'>;

/** Takes away what is still to be sent to a contact, also to its names. */
export async function eraseQueued(tx: UnitOfWork, state: State, count: Count): Promise<Part> {
  if (state.place.named !== undefined) return eraseJobsNaming(tx, state, count);
  const part = await eraseJobsOf(tx, state, { contact: state.contactId, status: 'queued' }, count);
  return part.isLeft ? part : { ...part, isLeft: true, place: { named: 0 } };
}

/** The accounts of jobs that went, as many as are remembered. */
function sendersWith(senderIds: readonly number[] = []) {
  const senders = new Set(senderIds);
  return {
    add: ({ accountId }: StoredJob) => accountId !== null && senders.size < maxIds && senders.add(accountId),
    ids: () => [...senders],
  };
}

/** Takes away the jobs of a contact, all or those of a status. */
export async function eraseJobsOf(
  tx: UnitOfWork,
  { senderIds, place }: State,
  where: Where<typeof Jobs>,
  count: Count,
): Promise<Part> {
  const senders = sendersWith(senderIds);
  // From where it stopped: of many jobs few may be of the status, and a page ends when it has read much.
  const left = await stepThrough(tx, Jobs, { where, after: place.after ?? null, limit: 20 }, async (job) => {
    await eraseJob(tx, job, count);
    senders.add(job);
  });
  return { isLeft: left !== undefined, place: left ?? {}, senderIds: senders.ids() };
}

/** `telegram/4711`, `telegram/@anna`. */
const senderForm = /^([^/]+)\/(@?)(.+)$/su;

/** Whether another contact is known by this name; undefined where it is none by which anybody could be. */
async function isNameOfAnother(tx: UnitOfWork, name: string): Promise<boolean | undefined> {
  const [, platform, at, known] = senderForm.exec(name) ?? [];
  if (platform === undefined || known === undefined) return undefined;
  const channel = platform as Platform;
  const where = at ? { handle: { platform: channel, username: known } } : { identity: { channel, userId: known } };
  return (await listPage(tx, Contacts, { where, archived: 'all', limit: 1 })).items.length > 0;
}

/** Number of names that are looked for together: each needs one or two queries. */
const namesPerPart = 20;

/**
 * Removes jobs and their messages to somebody who is addressed by name and not as a contact. Names that another contact has are
 * left out.
 */
export async function eraseJobsNaming(tx: UnitOfWork, { names, senderIds, place }: State, count: Count): Promise<Part> {
  const senders = sendersWith(senderIds);
  let { named = 0 } = place;
  const part = (isLeft: boolean): Part => ({ isLeft, place: { named }, senderIds: senders.ids() });
  for (const stated of names.slice(named, named + namesPerPart)) {
    const isOfNobodyElse = (await isNameOfAnother(tx, stated)) === false;
    const { items, hasMore } = isOfNobodyElse
      ? await listPage(tx, Jobs, { where: { stated }, limit: 20 })
      : { items: [], hasMore: false };
    for (const job of items) {
      if (!tx.hasRoom) return part(true);
      const message = await tx.find(Messages, { contactId: null, id: job.messageId });
      await eraseJob(tx, job, count);
      senders.add(job);
      if (!message) continue;
      await eraseFiles(tx, message);
      tx.delete(Messages, message);
      count('messages');
    }
    if (hasMore) return part(true);
    named += 1;
  }
  return part(named < names.length);
}
