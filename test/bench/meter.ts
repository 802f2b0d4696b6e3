import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';

/** What calls to the table cost: units as its engine reports them, and the calls themselves. */
export interface Cost {
  writeUnits: number;
  readUnits: number;
  calls: number;
}

export interface Meter {
  url: string;
  /** What was spent since the last time it was asked. */
  take(): Cost;
  close(): void;
}

const writes = /\.(PutItem|UpdateItem|DeleteItem|TransactWriteItems|BatchWriteItem)$/;
const reads = /\.(GetItem|BatchGetItem|Query|Scan|TransactGetItems)$/;
const nothing = (): Cost => ({ writeUnits: 0, readUnits: 0, calls: 0 });

/** A way to DynamoDB that has every call say what it costs; the stream is free. */
export async function startMeter(target: string): Promise<Meter> {
  let spent = nothing();
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const operation = String(headers['x-amz-target']);
    const isWrite = writes.test(operation);
    const isCounted = isWrite || reads.test(operation);
    const asked = (await json(incoming)) as object;
    const body = JSON.stringify(isCounted ? { ...asked, ReturnConsumedCapacity: 'TOTAL' } : asked);
    const forwarded = httpRequest(
      target,
      { method, path, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      async (answer) => {
        const said = await text(answer);
        if (isCounted) {
          spent.calls += 1;
          spent[isWrite ? 'writeUnits' : 'readUnits'] += unitsIn(said);
        }
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

type Consumed = { CapacityUnits?: number; WriteCapacityUnits?: number };

function unitsIn(said: string): number {
  const { ConsumedCapacity: consumed = [] } = JSON.parse(said) as { ConsumedCapacity?: Consumed | Consumed[] };
  return [consumed].flat().reduce((sum, one) => sum + (one.WriteCapacityUnits ?? one.CapacityUnits ?? 0), 0);
}
