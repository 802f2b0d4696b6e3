/** Where a call writes or reads one item. */
interface Place {
  Key?: object;
  Item?: object;
}

interface Asked extends Place {
  TransactItems?: Record<string, Place>[];
  RequestItems?: Record<string, Record<string, Place>[]>;
}

/** What is answered in the place of the table. */
export interface Instead {
  status: number;
  body: object;
}

export const isWrite = (operation: string) =>
  /^(PutItem|UpdateItem|DeleteItem|TransactWriteItems|BatchWriteItem)$/.test(operation);
export const isRead = (operation: string) => /^(GetItem|BatchGetItem|Query|Scan|TransactGetItems)$/.test(operation);

/** How many items a write names. */
export const countOfItems = ({ TransactItems, RequestItems }: Asked): number =>
  TransactItems?.length ?? (RequestItems ? Object.values(RequestItems).flat().length : 1);

/** Returns what DynamoDB says of a write while another transaction has one of its items in hand. */
export function conflictOf(asked: Asked, item: number): Instead {
  const { TransactItems, RequestItems } = asked;
  if (RequestItems) return { status: 200, body: { UnprocessedItems: RequestItems } };
  if (!TransactItems) return refusal('TransactionConflictException', ongoing);
  const because = { Code: 'TransactionConflict', Message: ongoing };
  const CancellationReasons = TransactItems.map((_, index) => (index === item ? because : { Code: 'None' }));
  return refusal('TransactionCanceledException', 'Transaction cancelled', { CancellationReasons });
}

const ongoing = 'Transaction is ongoing for the item';

export const refusal = (code: string, message: string, more: object = {}): Instead => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message, ...more },
});
