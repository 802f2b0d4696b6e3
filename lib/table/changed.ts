import { type CopiedNoun, copiedNouns } from '#lib/core/choices.ts';
import { dayMs, epochSeconds, secondMs } from '#lib/core/clock.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import type { Change } from './change.ts';
import { entityPartition, nameShown } from './entity.ts';
import { rowKey, rowPartition } from './keys.ts';
import { pages } from './pages.ts';

/** Days that a note of a change is kept: a copy that is older is not used. */
export const notedDays = 7;

/** Whether a change concerns what a row says, not only its version and its mark. */
const isNoted = ({ item, add = {}, set = {}, remove = [] }: Change): boolean =>
  item !== undefined ||
  remove.length > 0 ||
  Object.keys(add).some((name) => name !== 'v') ||
  Object.keys(set).some((name) => name !== nameShown);

/** Returns the notes of a commit: for each noun the sort keys of the rows that it changes. */
export function notesOf(
  { tenant, now, id }: { tenant: Tenant; now: string; id: string },
  changes: readonly Change[],
): Change[] {
  const nouns = new Map(copiedNouns.map((noun) => [entityPartition(tenant, { name: noun } as never), noun]));
  const noted = Map.groupBy(changes.filter(isNoted), ({ key }) => nouns.get(key.pk));
  return [...noted].flatMap(([noun, rows]) => {
    if (noun === undefined) return [];
    const key = rowKey('change', { tenant: tenantKey(tenant), noun, time: now, transaction: id });
    const item = {
      rows: [...new Set(rows.map((row) => row.key.sk))],
      expiresAtSeconds: epochSeconds() + (notedDays * dayMs) / secondMs,
    };
    return [{ key, item }];
  });
}

/** Returns the sort keys of the rows of a noun that were changed by commits whose work began at a time or later. */
export async function changedSince(tenant: Tenant, noun: CopiedNoun, time: string): Promise<Set<string>> {
  const pk = rowPartition('change', { tenant: tenantKey(tenant), noun });
  const found = new Set<string>();
  for await (const page of pages({ pk, above: time, ascending: true }))
    for (const { rows } of page) for (const sk of rows as string[]) found.add(sk);
  return found;
}
