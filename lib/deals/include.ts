import type { Expand } from '#lib/core/include.ts';
import { includesArchive } from '#lib/entities/archive.ts';
import type { StoredDeal } from '#lib/entities/deal.ts';
import { Pipelines } from '#lib/entities/pipeline.ts';
import { presentCompanies } from '#lib/entities/references/present.ts';
import type { StoredTask } from '#lib/entities/task.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { includesFields } from '#lib/workspaces/fields.ts';

/** Adds to deals what `include` asks for. */
export const expandDeals: Expand<UnitOfWork, StoredDeal> = {
  ...includesFields('deal'),
  ...includesArchive,
  async company(tx, deals) {
    const companies = await presentCompanies(
      tx,
      deals.flatMap(({ companyId }) => companyId ?? []),
    );
    return deals.map(({ companyId }) => {
      const company = companyId ? companies.get(companyId) : undefined;
      return company ? { id: company.id, name: company.name } : null;
    });
  },
  async pipeline(tx, deals) {
    const ids = [...new Set(deals.map(({ pipelineId }) => pipelineId))];
    const boards = await tx.findAll(
      Pipelines,
      ids.map((id) => ({ id })),
    );
    return deals.map(({ pipelineId, columnId, stage, lostReason, columnSince }) => {
      const { name = '', columns = [] } = boards.find(({ id }) => id === pipelineId) ?? {};
      // The column of an archived deal may be removed: it is shown where a restore puts it.
      const column =
        columns.find(({ id }) => id === columnId) ?? columns.find((one) => one.stage === stage) ?? columns[0];
      const place = { columnId: column?.id ?? columnId, columnKey: column?.key ?? '', columnName: column?.name ?? '' };
      return { id: pipelineId, name, ...place, lostReason, columnSince };
    });
  },
};

/** Adds to tasks what `include` asks for. */
export const expandTasks: Expand<UnitOfWork, StoredTask> = { ...includesFields('task'), ...includesArchive };
