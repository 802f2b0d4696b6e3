/** What a request to DynamoDB does to one table, by one action. */
export interface TableUse {
  table: string;
  index?: string;
  action: string;
  /** Of every row that it names. */
  partitions: string[];
}

type Attributes = Record<string, Record<string, unknown>>;

interface Body {
  TableName?: string;
  IndexName?: string;
  Key?: Attributes;
  Item?: Attributes;
  KeyConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Attributes;
  RequestItems?: Record<string, { Keys?: Attributes[] } | { PutRequest?: Body; DeleteRequest?: Body }[]>;
  TransactItems?: Record<string, Body>[];
}

/** By what a table's rows are told apart first. */
type PartitionKey = (table: string) => string;

const inTransaction: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/**
 * What a request asks leave for. A transaction asks for each of its actions; AWS does not say whether with the keys of one row or of
 * all, so all are asked together, which is the stricter.
 */
export function tableUses(operation: string, body: Body, keyOf: PartitionKey): TableUse[] {
  const { TransactItems, RequestItems } = body;
  if (TransactItems) return ofTransaction(TransactItems, keyOf);
  if (RequestItems)
    return Object.entries(RequestItems).map(([table, asked]) => ({
      table,
      action: operation,
      partitions: (Array.isArray(asked)
        ? asked.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key)
        : (asked.Keys ?? [])
      ).flatMap((row) => partitionOf(row, keyOf(table))),
    }));
  const { TableName: table = '', IndexName: index } = body;
  const partitions =
    operation === 'Query' ? queried(body, keyOf(table)) : partitionOf(body.Item ?? body.Key, keyOf(table));
  return [{ table, ...(index !== undefined && { index }), action: operation, partitions }];
}

function ofTransaction(items: readonly Record<string, Body>[], keyOf: PartitionKey): TableUse[] {
  const uses = new Map<string, TableUse>();
  for (const [kind, { TableName: table = '', Item, Key }] of items.flatMap((item) => Object.entries(item))) {
    const action = inTransaction[kind] ?? kind;
    const use = uses.get(`${action} ${table}`) ?? { table, action, partitions: [] };
    use.partitions.push(...partitionOf(Item ?? Key, keyOf(table)));
    uses.set(`${action} ${table}`, use);
  }
  return [...uses.values()];
}

const partitionOf = (row: Attributes | undefined, key: string): string[] => {
  const [value] = Object.values(row?.[key] ?? {});
  return value === undefined ? [] : [String(value)];
};

function queried(body: Body, key: string): string[] {
  const { KeyConditionExpression = '', ExpressionAttributeNames = {}, ExpressionAttributeValues = {} } = body;
  for (const condition of KeyConditionExpression.split(/\band\b/i)) {
    const [name = '', value = ''] = condition.replaceAll(/[\s()]/g, '').split('=');
    if ((ExpressionAttributeNames[name] ?? name) === key)
      return Object.values(ExpressionAttributeValues[value] ?? {}).map(String);
  }
  return [];
}
