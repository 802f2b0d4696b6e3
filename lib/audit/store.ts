import type * as v from 'valibot';
import type { Item } from '#lib/table/entity.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { AuditEvents, type AuditQuery } from './audit.ts';

/** The audit trail of the environment in descending order of id; `since` and `until` are inclusive. */
export async function listAuditEvents(
  tx: Transaction,
  query: v.InferOutput<typeof AuditQuery>,
): Promise<Page<Item<typeof AuditEvents>>> {
  const { keyId, method, since, until } = query;
  return listPage(tx, AuditEvents, {
    ...query,
    indexes: [...(keyId === undefined ? [] : [`key=${keyId}`]), ...(method === undefined ? [] : [`method=${method}`])],
    ...(since !== undefined || until !== undefined
      ? { matches: ({ createdAt }) => (since ?? '') <= createdAt && createdAt <= (until ?? '9') }
      : {}),
  });
}
