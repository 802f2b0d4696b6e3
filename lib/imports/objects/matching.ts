import { storedKey, withMetadata } from '#lib/core/metadata.ts';
import { conflict, invalidField } from '#lib/core/problem.ts';
import type { Deals } from '#lib/entities/deal.ts';
import type { FieldObject } from '#lib/entities/field.ts';
import type { Tasks } from '#lib/entities/task.ts';
import { listUpTo } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { valueHolder } from '#lib/workspaces/fields.ts';
import { holderOfValue } from '#lib/workspaces/value-changes.ts';
import type { RowInput } from './object.ts';

/** Returns the deal or task with a value of a unique field or of metadata. Raises 400 without the value, 409 `ambiguous_match`. */
export async function matchRecord(
  tx: UnitOfWork,
  object: FieldObject,
  of: typeof Deals | typeof Tasks,
  matchOn: string,
  row: RowInput,
): Promise<{ id: number | undefined; change: RowInput }> {
  const [group = '', name = ''] = matchOn.split(/\.(.*)/s);
  const value = (row[group] as Record<string, unknown> | undefined)?.[name];
  if (group === 'fields') return { id: await holderOfValue(tx, valueHolder(object, of), name, value), change: row };
  if (typeof value !== 'string')
    throw invalidField(matchOn, 'required', `${matchOn} is required because it is matched on`);
  const key = storedKey(name);
  const items = await listUpTo(tx, of as typeof Deals, {
    contains: { metadata: withMetadata({ [key]: value }) },
    matches: ({ metadata }) => metadata[key] === value,
    limit: 2,
  });
  if (items.length > 1)
    throw conflict('ambiguous_match', `several records have this ${matchOn}: name one by its id`, {
      ids: items.map(({ id }) => id),
    });
  return { id: items[0]?.id, change: row };
}
