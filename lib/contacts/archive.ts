import { listTags } from '#lib/contacts/tags.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Tags } from '#lib/entities/tag.ts';
import { listPage } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { leaveSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { archiving, type Restoring } from '#lib/workspaces/archive.ts';
import { freeValues } from '#lib/workspaces/value-changes.ts';
import { getContact, type ShownContact, withTags } from './read.ts';
import { contactValues } from './write.ts';

const records = archiving({
  of: Contacts,
  async archived(tx, contact) {
    await countInTags(tx, contact, -1);
    if (await isBusy(tx, contact.id)) leaveSaga(tx, 'stop-archived', { contactId: contact.id, after: null });
  },
  async restored(tx, contact, how) {
    await countInTags(tx, contact, 1);
    return freeValues(tx, contactValues, contact, how);
  },
});

/** Archives a contact, stops its sequences, and cancels its jobs. Emits contact.archived. Raises 404. */
export async function archiveContact(tx: UnitOfWork, id: number): Promise<ShownContact> {
  const contact = await records.archive(tx, id);
  return withTags(contact, await listTags(tx, { with: contact.tagIds }));
}

/** Restores a contact; one that is not archived stays as it is. Emits contact.restored. Raises 404, 409 `field_value_taken`. */
export async function restoreContact(tx: UnitOfWork, id: number): Promise<ShownContact> {
  await records.restore(tx, id);
  return getContact(tx, id);
}

/** Restores a contact who has written. A unique value that another one has by then is dropped. */
export async function restoreWriter(tx: UnitOfWork, id: number): Promise<void> {
  const how: Restoring = { dropsTaken: true };
  await records.restore(tx, id, how);
}

async function isBusy(tx: UnitOfWork, contactId: number): Promise<boolean> {
  const [jobs, enrollments] = await Promise.all([
    listPage(tx, Jobs, { where: { contact: contactId, status: 'queued' }, limit: 1 }),
    listPage(tx, Enrollments, { where: { running: contactId }, limit: 1 }),
  ]);
  return jobs.items.length + enrollments.items.length > 0;
}

/** A transaction has room for so many beside a contact with its entries. */
const maxTagsAtOnce = 20;

type Counting = { tagIds: number[]; times: number };

/** Counts a contact in its tags, or no longer, as it is restored or archived. Many tags follow by way of a saga. */
export async function countInTags(tx: UnitOfWork, { tagIds }: StoredContact, times: 1 | -1): Promise<void> {
  await countSome(tx, tagIds, times);
  const left = tagIds.slice(maxTagsAtOnce);
  if (left.length > 0) leaveSaga(tx, 'count-tags', { tagIds: left, times });
}

/** Counts in the tags that are left. */
export const countingTags: SagaKind<Counting, 'count-tags'> = {
  name: 'count-tags',
  async step(tx, { tagIds, times }) {
    await countSome(tx, tagIds, times);
    const left = tagIds.slice(maxTagsAtOnce);
    return left.length > 0 ? { tagIds: left, times } : undefined;
  },
};

async function countSome(tx: UnitOfWork, tagIds: readonly number[], times: number): Promise<void> {
  const places = tagIds.slice(0, maxTagsAtOnce).map((id) => ({ id }));
  for (const tag of await tx.findAll(Tags, places)) tx.add(Tags, tag, { contactCount: times });
}
