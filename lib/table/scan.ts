import { env } from '#lib/core/env.ts';
import { environments, tenantKey } from '#lib/core/tenant.ts';
import { dynamodb, type Operations } from './client.ts';
import { outboxPrefix } from './outbox.ts';
import { isRow, type Row } from './rows.ts';
import { isExpired } from './stored.ts';

/** Every living row of a workspace, in no order: its partitions are not all known beforehand. Reads the whole table. */
export async function* rowsOfWorkspace(id: number): AsyncGenerator<Row> {
  const [live, test] = environments.map((name) => tenantKey({ workspaceId: id, env: name }));
  const rows = scanned({
    ConsistentRead: true,
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
  for await (const row of rows) if (!isExpired(row)) yield row;
}

/** About as many as the megabyte has in which a page of DynamoDB ends anyway: the local engine reads all that is left for a page without. */
const rowsPerPage = 1_000;

/** Every row of the table that passes the filter, those that have expired among them. */
export async function* scanned(query: Omit<Operations['Scan']['input'], 'TableName'>): AsyncGenerator<Row> {
  let from: Record<string, unknown> | undefined;
  do {
    const page = { Limit: rowsPerPage, ...query, TableName: env('TABLE_NAME'), ExclusiveStartKey: from };
    const { Items = [], LastEvaluatedKey } = await dynamodb.send('Scan', page);
    yield* Items.filter(isRow);
    from = LastEvaluatedKey;
  } while (from);
}
