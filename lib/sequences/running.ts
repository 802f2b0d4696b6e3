import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { isComplete } from '#lib/table/completeness.ts';
import { indexSince } from '#lib/table/entity.ts';
import { listIndexed } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The enrollments of a contact that are under way, descending by id. Those that have ended are not read. */
export async function runningEnrollments(tx: UnitOfWork, contactId: number): Promise<StoredEnrollment[]> {
  if (await isComplete(tx.tenant, Enrollments, indexSince(Enrollments, 'running')))
    return listIndexed(tx, Enrollments, { running: contactId });
  // Until the workspace is reindexed: a contact has fewer than the workspace.
  const all = await listIndexed(tx, Enrollments, { contact: contactId });
  return all.filter(({ status }) => status === 'active');
}
