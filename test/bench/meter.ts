import { createServer, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cost } from '#infra/capacity/measured.ts';
import { patternOf } from '#infra/table-map.ts';
import { unmarshalled } from '#lib/table/attribute-values.ts';
import { bytesOf } from '#lib/table/size.ts';

export interface Meter {
  url: string;
  /** What was spent since the last time it was asked. */
  take(): Cost;
  close(): void;
}

const writes = /\.(PutItem|UpdateItem|DeleteItem|TransactWriteItems|BatchWriteItem)$/;
const reads = /\.(GetItem|BatchGetItem|Query|Scan|TransactGetItems)$/;
export const nothing = (): Cost => ({ writeUnits: 0, readUnits: 0, calls: 0, partitions: {} });

/**
 * A way to DynamoDB that has every call say what it costs; the stream is free. With `transactionMs` a transaction has its items in hand
 * for so long, and as on AWS others that touch them are refused: the engine itself makes them wait for each other.
 */
export async function startMeter(target: string, { transactionMs = 0 } = {}): Promise<Meter> {
  let spent = nothing();
  const inHand = new Set<string>();
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const operation = String(headers['x-amz-target']);
    const isWrite = writes.test(operation);
    const isCounted = isWrite || reads.test(operation);
    const asked = (await json(incoming)) as object;
    const held = transactionMs > 0 && isWrite ? keysOf(asked) : [];
    if (held.some((key) => inHand.has(key))) {
      spent.calls += 1;
      return refuse(outgoing, asked, (key) => inHand.has(key));
    }
    const isTransaction = operation.endsWith('.TransactWriteItems');
    if (isTransaction) for (const key of held) inHand.add(key);
    const body = JSON.stringify(isCounted ? { ...asked, ReturnConsumedCapacity: 'TOTAL' } : asked);
    const forwarded = httpRequest(
      target,
      { method, path, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      async (answer) => {
        const said = await text(answer);
        if (isCounted) {
          const units = unitsIn(said);
          const kind = isWrite ? 'writeUnits' : 'readUnits';
          spent.calls += 1;
          spent[kind] += units;
          for (const { pattern, puts, share } of touched(unmarshalled(asked) as Asked, units)) {
            const partition = spent.partitions[pattern] ?? { puts: 0, writeUnits: 0, readUnits: 0 };
            spent.partitions[pattern] = partition;
            partition[kind] += share;
            if (units > 0) partition.puts += puts;
          }
        }
        if (isTransaction) await sleep(transactionMs);
        for (const key of isTransaction ? held : []) inHand.delete(key);
        const { 'x-amz-crc32': _, ...kept } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, kept).end(said);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = spent;
      spent = nothing();
      return taken;
    },
    close: () => server.close(),
  };
}

/** What DynamoDB says of a write while a transaction has one of its items. */
function refuse(outgoing: ServerResponse, asked: object, isHeld: (key: string) => boolean): void {
  const { TransactItems } = asked as Asked;
  const CancellationReasons = TransactItems?.map((action) => ({
    Code: Object.values(action).some((place) => isHeld(keyOf(place))) ? 'TransactionConflict' : 'None',
  }));
  const type = TransactItems ? 'TransactionCanceledException' : 'TransactionConflictException';
  outgoing.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(
    JSON.stringify({
      __type: `com.amazonaws.dynamodb.v20120810#${type}`,
      message: 'Transaction is ongoing for the item',
      ...(CancellationReasons && { CancellationReasons }),
    }),
  );
}

const keysOf = (asked: object): string[] => placesIn(asked as Asked).map(keyOf);

/** Of an item as the wire has it. */
function keyOf({ Key, Item }: Place): string {
  const { pk, sk } = (Key ?? Item ?? {}) as Attributes;
  return JSON.stringify([pk, sk]);
}

type Consumed = { CapacityUnits?: number; WriteCapacityUnits?: number };

function unitsIn(said: string): number {
  const { ConsumedCapacity: consumed = [] } = JSON.parse(said) as { ConsumedCapacity?: Consumed | Consumed[] };
  return [consumed].flat().reduce((sum, one) => sum + (one.WriteCapacityUnits ?? one.CapacityUnits ?? 0), 0);
}

type Attributes = Record<string, unknown>;
interface Place {
  Key?: Attributes;
  Item?: Attributes;
}
interface Asked extends Place {
  KeyConditionExpression?: string;
  ExpressionAttributeValues?: Attributes;
  TransactItems?: Record<string, Place>[];
  RequestItems?: Record<string, { Keys?: Attributes[] } | Record<string, Place>[]>;
}

/** What one call has to do with partitions: DynamoDB says only what it costs in all. */
function touched(asked: Asked, units: number): { pattern: string; puts: number; share: number }[] {
  const places = placesIn(asked);
  // What an update meets is not known: it has an equal share of what is left when the items that are put have theirs.
  const put = places.map(({ Item }) => (Item ? Math.ceil(bytesOf(Item) / 1024) : 0));
  const each = units / Math.max(1, places.length);
  const isEven = places.length < 2 || put.every((one) => one < 2);
  const factor = asked.TransactItems ? 2 : 1;
  const others = places.filter(({ Item }) => !Item).length;
  const left = Math.max(0, units - factor * put.reduce((sum, one) => sum + one, 0)) / Math.max(1, others);
  return places.map((place, index) => ({
    pattern: partitionOf(place),
    puts: place.Item ? 1 : 0,
    share: isEven ? each : place.Item ? factor * (put[index] as number) : left,
  }));
}

function placesIn({ TransactItems, RequestItems, KeyConditionExpression, ...own }: Asked): Place[] {
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

/** A scan is of no partition. Groups of counters have partitions of their own, and few of them are written by one call. */
function partitionOf({ Key, Item }: Place): string {
  const pk = (Key ?? Item)?.['pk'];
  if (pk === undefined) return 'scan';
  const pattern = patternOf(String(pk)) ?? String(pk);
  const group = /#count\/([\w-]+)/.exec(String(pk))?.[1];
  return group === undefined ? pattern : pattern.replace('{group}', group);
}
