import { env } from '../env.ts';
import { environments, tenantKey } from '../tenant.ts';
import { dynamodb } from './client.ts';
import { outboxPrefix } from './outbox.ts';
import { isRow, type Row } from './rows.ts';
import { isAbsent } from './stored.ts';

/** Every living row of a workspace, in no order: its partitions are not all known beforehand. Reads the whole table. */
export async function* rowsOfWorkspace(id: number): AsyncGenerator<Row> {
  const [live, test] = environments.map((name) => tenantKey({ workspaceId: id, env: name }));
  let from: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await dynamodb.send('Scan', {
      TableName: env('TABLE_NAME'),
      ConsistentRead: true,
      ExclusiveStartKey: from,
      FilterExpression:
        'begins_with(pk, :live) OR begins_with(pk, :test) OR begins_with(pk, :shared) OR (begins_with(pk, :outbox) AND #tenant IN (:isLive, :isTest))',
      ExpressionAttributeNames: { '#tenant': 'tenant' },
      ExpressionAttributeValues: {
        ':live': `${live}#`,
        ':test': `${test}#`,
        ':shared': `${id}#`,
        ':outbox': `${outboxPrefix}#`,
        ':isLive': live,
        ':isTest': test,
      },
    });
    for (const row of Items.filter(isRow)) if (!isAbsent(row)) yield row;
    from = LastEvaluatedKey;
  } while (from);
}
