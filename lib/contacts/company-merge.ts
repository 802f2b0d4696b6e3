import type * as v from 'valibot';
import { unite } from '#lib/core/metadata.ts';
import { badRequest, conflict, unknownReference } from '#lib/core/problem.ts';
import {
  Companies,
  CompanyActivities,
  type MergeCompanies,
  MergedCompanies,
  maxDomains,
  type StoredCompany,
} from '#lib/entities/company.ts';
import { namingCompanies } from '#lib/entities/naming-companies.ts';
import { moveReferences } from '#lib/entities/references/follow.ts';
import { presentCompanies } from '#lib/entities/references/present.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { freeValues, unitedValues } from '#lib/workspaces/value-changes.ts';
import { writeCompanyNote } from './company-activities.ts';
import { companyValues, getStoredCompany, requireFreeDomains } from './company-read.ts';
import { mergeNotes } from './merge-notes.ts';

/**
 * Makes one company of two: the target keeps what it has, takes what it lacks, all domains, and everything that names the source, which
 * is gone with the same commit. Emits company.merged. Raises 404 for the target, 400 for the source, 409 for too many domains.
 */
export async function mergeCompanies(
  tx: UnitOfWork,
  targetId: number,
  { sourceCompanyId: sourceId }: v.InferOutput<typeof MergeCompanies>,
): Promise<StoredCompany> {
  const [target, found] = await Promise.all([getStoredCompany(tx, targetId), tx.find(Companies, { id: sourceId })]);
  if (sourceId === targetId)
    throw badRequest('same_company', 'a company cannot be merged into itself: name another one as sourceCompanyId');
  if (found === undefined) throw unknownReference('sourceCompanyId');
  // An archived source no longer holds what is one company's alone.
  if (found.archive) await requireFreeDomains(tx, targetId, found.domains);
  const source = found.archive ? await freeValues(tx, companyValues, found, { heirId: targetId }) : found;
  const domains = [...new Set([...target.domains, ...source.domains])];
  if (domains.length > maxDomains)
    throw conflict('limit_reached', `the companies have more than ${maxDomains} domains together: remove some first`, {
      limit: maxDomains,
    });
  await tx.reserveIds({ [CompanyActivities.name]: 1 });
  const { metadata, left } = unite(target.metadata, source.metadata);
  const merged = tx.update(Companies, {
    ...target,
    ...unitedValues(target, source),
    domains,
    roots: [...new Set([...target.roots, ...source.roots])],
    freeDomains: [...new Set([...target.freeDomains, ...source.freeDomains])],
    website: target.website ?? source.website,
    phone: target.phone ?? source.phone,
    address: target.address ?? source.address,
    notes: target.notes ?? source.notes,
    assignedToUserId: target.assignedToUserId ?? source.assignedToUserId,
    metadata,
    updatedAt: tx.now,
  });
  for (const text of mergeNotes('company', target, source, dropped, left)) await writeCompanyNote(tx, targetId, text);
  tx.delete(Companies, source);
  tx.create(MergedCompanies, { id: sourceId, into: targetId });
  startSaga(tx, mergingCompanies, { from: sourceId, to: targetId, next: null });
  tx.emit({
    kind: 'company.merged',
    subject: `company/${targetId}`,
    data: { company_id: String(targetId), source_company_id: String(sourceId), actor: tx.eventActor },
  });
  return merged;
}

const dropped = ['name', 'website', 'phone', 'address', 'notes'] as const;

/** Lets the rows of a merged company follow it. */
export const mergingCompanies: SagaKind<{ from: number; to: number; next: string | null }, 'merge-companies'> = {
  name: 'merge-companies',
  async step(tx, { from, to, next }) {
    const target = (await presentCompanies(tx, [to])).get(to);
    // It counts nothing any more, which the unit of work knows once it has looked.
    await tx.find(Companies, { id: from });
    if (target === undefined) return undefined;
    const left = await moveReferences(tx, Companies, namingCompanies, from, target, next);
    if (!tx.isEmpty) tx.requireUnchanged(Companies, target);
    return left === undefined ? undefined : { from, to: target.id, next: left };
  },
};
