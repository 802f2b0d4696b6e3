import { queuedAs } from '#lib/accounts/store.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { counterKey } from '#lib/table/keys.ts';
import type { Row } from '#lib/table/rows.ts';
import { formsOf } from '#lib/table/stored.ts';
import { Sums, spreads } from '#lib/table/sums.ts';
import { divided, entityIn } from './kinds.ts';

/**
 * What counters make of the items of a file. Its own are not believed: one that is too low would come to be below nothing. What they are
 * called are choices and months, so that no group has more rows than are read together.
 */
export class Counted {
  readonly #sums = new Sums();

  /** Counts a row of the workspace as it is written. */
  add(workspaceId: number, row: Row): void {
    const { env, partition } = divided(row.pk.slice(String(workspaceId).length));
    const of = entityIn(partition);
    if (of === undefined || env === '') return;
    const tenant = { workspaceId, env };
    if (of.counters)
      for (const { item, isWritten } of formsOf(of, row)) this.#sums.count(tenant, of, item, 1, isWritten);
    if (of !== Jobs || row['status'] !== 'queued') return;
    const job = row as Row & StoredJob;
    const { group, name, add } = queuedAs(job, 1);
    this.#sums.add(counterKey(tenant, group, name, job.id % spreads), add);
  }

  rows(): Row[] {
    return this.#sums.changes().map(({ key, add }) => ({ ...key, ...add }));
  }
}
