import { Companies, type StoredCompany } from '#lib/entities/company.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { archiving } from '#lib/workspaces/archive.ts';
import { freeValues } from '#lib/workspaces/value-changes.ts';
import { startLinking } from './company-links.ts';
import { companyValues, requireFreeDomains } from './company-read.ts';

const records = archiving({
  of: Companies,
  async restored(tx, company) {
    await requireFreeDomains(tx, company.id, company.domains);
    startLinking(tx, company);
    return freeValues(tx, companyValues, company);
  },
});

/** Archives a company; an archived one stays as it is. Emits company.archived. Raises 404. */
export const archiveCompany = (tx: UnitOfWork, id: number): Promise<StoredCompany> => records.archive(tx, id);

/** Restores a company; one that is not archived stays as it is. Emits company.restored. Raises 404, 409 `domain_taken` and `field_value_taken`. */
export const restoreCompany = (tx: UnitOfWork, id: number): Promise<StoredCompany> => records.restore(tx, id);
