import type { Expand } from '#lib/core/include.ts';
import type { StoredDeal } from '#lib/entities/deal.ts';
import type { StoredTask } from '#lib/entities/task.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { includesFields } from '#lib/workspaces/field-values.ts';

/** Adds to deals what `include` asks for. */
export const expandDeals: Expand<UnitOfWork, StoredDeal> = { ...includesFields('deal') };

/** Adds to tasks what `include` asks for. */
export const expandTasks: Expand<UnitOfWork, StoredTask> = { ...includesFields('task') };
