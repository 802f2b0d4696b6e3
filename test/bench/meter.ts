import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, text } from 'node:stream/consumers';
import type { Cost } from '#infra/capacity/measured.ts';
import { type Asked, isRead, isWrite, keyOf, type Place, shares, unitsIn } from '#infra/local/contention/calls.ts';
import { patternOf } from '#infra/table-map.ts';
import { unmarshalled } from '#lib/table/attribute-values.ts';

export interface Meter {
  url: string;
  /** What was spent since the last time it was asked. */
  take(): Cost;
  close(): void;
}

export const nothing = (): Cost => ({ writeUnits: 0, readUnits: 0, calls: 0, partitions: {} });

/** A way to DynamoDB that has every call say what it costs; the stream is free. */
export async function startMeter(target: string): Promise<Meter> {
  let spent = nothing();
  const server = createServer(async (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
    const isCounted = isWrite(operation) || isRead(operation);
    const asked = (await json(incoming)) as object;
    const body = JSON.stringify(isCounted ? { ...asked, ReturnConsumedCapacity: 'TOTAL' } : asked);
    const forwarded = httpRequest(
      target,
      { method, path, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      async (answer) => {
        const said = await text(answer);
        if (isCounted) {
          const units = unitsIn(said);
          const kind = isWrite(operation) ? 'writeUnits' : 'readUnits';
          spent.calls += 1;
          spent[kind] += units;
          for (const { place, share } of shares(unmarshalled(asked) as Asked, units)) {
            const pattern = partitionOf(place);
            const partition = spent.partitions[pattern] ?? { puts: 0, writeUnits: 0, readUnits: 0 };
            spent.partitions[pattern] = partition;
            partition[kind] += share;
            if (units > 0 && place.Item) partition.puts += 1;
          }
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

/** A scan is of no partition. Groups of counters have partitions of their own, and few of them are written by one call. */
function partitionOf(place: Place): string {
  const { pk } = keyOf(place);
  if (pk === undefined) return 'scan';
  const pattern = patternOf(String(pk)) ?? String(pk);
  const group = /#count\/([\w-]+)/.exec(String(pk))?.[1];
  return group === undefined ? pattern : pattern.replace('{group}', group);
}
