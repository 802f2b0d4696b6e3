import type * as v from 'valibot';
import { withMetadata } from '#lib/core/metadata.ts';
import { wordsOf } from '#lib/core/text.ts';
import { isOverdue, type TaskQuery, Tasks } from '#lib/entities/task.ts';
import { listNoun } from '#lib/search/list.ts';
import { common, holding } from '#lib/table/conditions.ts';
import { entries } from '#lib/table/entries.ts';
import type { Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { flatten } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type ShownTask, toShown } from './task-read.ts';

/** With more of them than this they are found soon among all that is due. */
const fewOverdue = 400;

/** The ids of what is overdue; undefined where that is a lot. */
async function idsOverdue(tx: UnitOfWork): Promise<number[] | undefined> {
  const ids: number[] = [];
  const range = { ascending: true, below: tx.now, limit: fewOverdue + 1 };
  for await (const { of } of flatten(entries(tx, Tasks, { due: true }, range))) {
    if (ids.push(Number(of.sk)) > fewOverdue) return undefined;
  }
  return ids;
}

/** Tasks in descending order of id; every filter is exact and may be combined. */
export async function listTasks(
  tx: UnitOfWork,
  { include, ...query }: v.InferOutput<typeof TaskQuery>,
): Promise<Page<ShownTask>> {
  const few =
    query.overdue && query.ids === undefined && (query.archived ?? 'false') === 'false'
      ? await idsOverdue(tx)
      : undefined;
  const page = await listNoun(
    tx,
    Tasks,
    listingFrom(Tasks, query, {
      ...common,
      dealId: (deal) => ({ where: { deal } }),
      contactId: (contact) => ({ where: { contact } }),
      assignedToUserId: (assignee) => ({ where: { assignee } }),
      overdue: (overdue) => ({
        ...(overdue && { where: { awaited: true } }),
        ...(few && { ids: few }),
        matches: (task) => isOverdue(task, tx.now) === overdue,
        columns: ['status', 'dueAt'],
      }),
      dueBefore: (time) => ({ matches: ({ dueAt }) => dueAt !== null && dueAt < time, columns: ['dueAt'] }),
      dueAfter: (time) => ({ matches: ({ dueAt }) => dueAt !== null && dueAt > time, columns: ['dueAt'] }),
      metadata: (metadata) => ({ contains: { metadata: withMetadata(metadata) } }),
      q: (q) => holding(wordsOf(q), ['title'], ({ title }) => [title]),
    }),
  );
  return { ...page, items: page.items.map((task) => toShown(tx, task)) };
}
