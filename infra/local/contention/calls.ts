import { bytesOf } from '#lib/table/size.ts';

type Attributes = Record<string, unknown>;

/** Where a call writes or reads one item. */
export interface Place {
  Key?: Attributes;
  Item?: Attributes;
}

/** What is asked of the table, in DynamoDB's JSON or with plain attributes. */
export interface Asked extends Place {
  TableName?: string;
  KeyConditionExpression?: string;
  ExpressionAttributeValues?: Attributes;
  TransactItems?: Record<string, Place>[];
  RequestItems?: Record<string, { Keys?: Attributes[] } | Record<string, Place>[]>;
  ClientRequestToken?: string;
  ReturnConsumedCapacity?: string;
}

export const isWrite = (operation: string) =>
  /^(PutItem|UpdateItem|DeleteItem|TransactWriteItems|BatchWriteItem)$/.test(operation);
export const isRead = (operation: string) => /^(GetItem|BatchGetItem|Query|Scan|TransactGetItems)$/.test(operation);

/** The items that a call names; of a query its partition. */
export function placesIn({ TransactItems, RequestItems, KeyConditionExpression, ...own }: Asked): Place[] {
  if (TransactItems) return TransactItems.flatMap((action) => Object.values(action));
  if (RequestItems)
    return Object.values(RequestItems).flatMap((one) =>
      Array.isArray(one)
        ? one.flatMap((request) => Object.values(request))
        : (one.Keys ?? []).map((Key): Place => ({ Key })),
    );
  if (KeyConditionExpression) return [{ Key: { pk: own.ExpressionAttributeValues?.[':pk'] } }];
  return [own];
}

/** The values of the key of the one table that there is; a scan has none. */
export const keyOf = ({ Key, Item }: Place) => {
  const { pk, sk } = Key ?? Item ?? {};
  return { pk, sk };
};

/** What each place has of the units of a call: DynamoDB says only what it costs in all. Right to the unit where attributes are plain. */
export function shares(asked: Asked, units: number): { place: Place; share: number }[] {
  const places = placesIn(asked);
  // What an update meets is not known: it has an equal share of what is left when the items that are put have theirs.
  const put = places.map(({ Item }) => (Item ? Math.ceil(bytesOf(Item) / 1024) : 0));
  const each = units / Math.max(1, places.length);
  const isEven = places.length < 2 || put.every((one) => one < 2);
  const factor = asked.TransactItems ? 2 : 1;
  const others = places.filter(({ Item }) => !Item).length;
  const left = Math.max(0, units - factor * put.reduce((sum, one) => sum + one, 0)) / Math.max(1, others);
  return places.map((place, index) => ({
    place,
    share: isEven ? each : place.Item ? factor * (put[index] as number) : left,
  }));
}

interface Consumed {
  CapacityUnits?: number;
  WriteCapacityUnits?: number;
}

/** The units that an answer says its call has consumed. */
export function unitsIn(said: string): number {
  const { ConsumedCapacity: consumed = [] } = JSON.parse(said) as { ConsumedCapacity?: Consumed | Consumed[] };
  return [consumed].flat().reduce((sum, one) => sum + (one.WriteCapacityUnits ?? one.CapacityUnits ?? 0), 0);
}
