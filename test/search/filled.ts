import { chunks } from '#lib/core/async.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import type { Entity, Item } from '#lib/table/entity.ts';
import { putRows } from '#lib/table/rows.ts';
import { freshRows } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';

/** Writes so many rows like one that is there, each with changes of its own, without index entries unless said. Returns their ids. */
export async function fill<E extends Entity>(
  tenant: Tenant,
  of: E,
  like: number,
  count: number,
  changes: (index: number) => Partial<Item<E>>,
  { hasEntries = false } = {},
): Promise<number[]> {
  const { model, ids } = await transact(tenant, operator, async (tx) => {
    const found = await tx.get(of, { id: like } as never);
    await tx.reserveIds({ [of.name]: count });
    return { model: found as object, ids: await Promise.all(Array.from({ length: count }, () => tx.nextId(of))) };
  });
  const items = ids.map((id, index) => ({ ...model, id, ...changes(index) }));
  const rows = items.flatMap((item) => freshRows(tenant, of, item as never).slice(0, hasEntries ? undefined : 1));
  for (const some of chunks(rows, 400)) await putRows(some);
  return ids;
}
