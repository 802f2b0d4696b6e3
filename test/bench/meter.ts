import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { type Cost, nothing } from '#test/bench/costs.ts';
import { isRead, isWrite } from '#test/dynamodb.ts';

export interface Meter {
  url: string;
  /** What was spent since the last time it was asked. */
  take(): Cost;
  close(): void;
}

/** A way to DynamoDB that has every call say what it costs; the stream is free. */
export async function startMeter(target: string): Promise<Meter> {
  let spent = nothing();
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
    const isCounted = isWrite(operation) || isRead(operation);
    const asked = await buffer(incoming);
    const body = isCounted
      ? JSON.stringify({ ...JSON.parse(asked.toString()), ReturnConsumedCapacity: 'TOTAL' })
      : asked;
    const forwarded = httpRequest(
      target,
      { method, path, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      async (answer) => {
        const said = await text(answer);
        if (isCounted) {
          spent.calls += 1;
          spent[isWrite(operation) ? 'writeUnits' : 'readUnits'] += unitsIn(said);
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

interface Consumed {
  CapacityUnits?: number;
  WriteCapacityUnits?: number;
}

/** The units that an answer says its call has consumed. */
function unitsIn(said: string): number {
  const { ConsumedCapacity: consumed = [] } = JSON.parse(said) as { ConsumedCapacity?: Consumed | Consumed[] };
  return [consumed].flat().reduce((sum, one) => sum + (one.WriteCapacityUnits ?? one.CapacityUnits ?? 0), 0);
}
