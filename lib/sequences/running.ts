import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { listIndexed } from '#lib/table/entries.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The enrollments of a contact that are under way, descending by id, the newest or all. Those that have ended are not read. */
export async function runningEnrollments(
  tx: UnitOfWork,
  contactId: number,
  limit?: number,
): Promise<StoredEnrollment[]> {
  const where = { running: contactId };
  return limit === undefined
    ? listIndexed(tx, Enrollments, where)
    : (await listPage(tx, Enrollments, { where, limit })).items;
}
