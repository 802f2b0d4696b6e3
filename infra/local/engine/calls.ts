import type { Calls } from '../calls.ts';
import type { Home } from '../template/identities.ts';

/** A row as it is written or named, in DynamoDB's JSON. */
type Row = Record<string, Record<string, unknown>>;

interface Asked {
  TableName?: string;
  Key?: Row;
  Item?: Row;
  KeyConditionExpression?: string;
  ExpressionAttributeValues?: Record<string, Record<string, unknown>>;
  RequestItems?: Record<string, { Keys?: Row[] } | { PutRequest?: Asked; DeleteRequest?: Asked }[]>;
  TransactItems?: Record<string, Asked>[];
}

/** Call of one action on one table, with the partitions that it names. */
export interface TableCall {
  table: string;
  action: string;
  partitions: string[];
}

const inTransaction: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/**
 * Returns what a request asks leave for. A transaction asks for each of its actions; AWS does not say whether with the keys of one row or
 * of all, so all are asked together, which is the stricter.
 */
export function tableCalls(operation: string, asked: Asked): TableCall[] {
  const { TransactItems, RequestItems, TableName: table = '' } = asked;
  if (TransactItems) {
    const actions = TransactItems.flatMap((item) => Object.entries(item));
    return [...Map.groupBy(actions, ([kind, one]) => `${inTransaction[kind] ?? kind} ${one.TableName}`)].map(
      ([place, all]) => {
        const [action = '', name = ''] = place.split(' ');
        return { table: name, action, partitions: all.flatMap(([, one]) => partitionOf(one)) };
      },
    );
  }
  if (RequestItems)
    return Object.entries(RequestItems).map(([name, all]) => ({
      table: name,
      action: operation,
      partitions: (Array.isArray(all)
        ? all.map(({ PutRequest, DeleteRequest }) => PutRequest ?? DeleteRequest ?? {})
        : (all.Keys ?? []).map((Key) => ({ Key }))
      ).flatMap(partitionOf),
    }));
  return [{ table, action: operation, partitions: partitionOf(asked) }];
}

/** Our queries name their partition by `:pk`: that of another is one that no role has. A scan names none. */
function partitionOf({ Item, Key, KeyConditionExpression, ExpressionAttributeValues }: Asked): string[] {
  const queried = KeyConditionExpression && (ExpressionAttributeValues?.[':pk'] ?? { S: '?' });
  const [value] = Object.values((Item ?? Key)?.['pk'] ?? queried ?? {});
  return value === undefined ? [] : [String(value)];
}

/** Notes what functions ask of tables, each under the name that its template gives it. */
export const noteTableCalls =
  (calls: Calls, { region, accountId }: Home, templateName = (table: string) => table) =>
  (head: string, body: Buffer): void => {
    const [, functionName] = /^x-amz-security-token: *(\S+)/im.exec(head) ?? [];
    const [, operation = ''] = /^x-amz-target: *DynamoDB_\d+\.(\w+)/im.exec(head) ?? [];
    if (functionName === undefined) return;
    for (const { table, action, partitions } of tableCalls(operation, JSON.parse(body.toString()))) {
      const arn = `arn:aws:dynamodb:${region}:${accountId}:table/${templateName(table)}`;
      const values = partitions.length > 0 ? { 'dynamodb:leadingkeys': partitions } : {};
      calls.note(functionName, `dynamodb:${action}`, arn, values);
    }
  };
