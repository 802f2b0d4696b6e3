import { placesIn } from '#infra/table-map.ts';
import { blank, rowKeys, type ShardedQueue, shardsOf, sharedPrefixes } from '#lib/table/keys.ts';
import type { MeasuredCalls, Spent } from './measured.ts';

/** What DynamoDB gives one partition in a second, however much the table has (developer guide, "Best practices for partition keys"). */
export const partitionLimits = { writeUnits: 1000, readUnits: 3000 } as const;

/** The calls of all workspaces in a second, and those of the busiest one of them. */
export interface Rates {
  perSecond: number;
  busiestPerSecond: number;
  /** Keys that the busiest one calls with. */
  keys: number;
  /** Webhook endpoints of a workspace that get every event. */
  endpoints: number;
}

/** The partition of a pattern that is asked most, in a second. */
export interface Hot {
  pattern: string;
  writeUnits: number;
  readUnits: number;
  /** Of what one partition takes: saturated from 1 on. */
  share: number;
  /** DynamoDB splits a partition that is hot only where its rows lie apart. */
  rows: 'one row' | 'rising' | 'apart';
}

/** A workspace has many of what fills these, so that none of their partitions is hot: a partition of each contact, of each call. */
const many =
  /\{(?:contactId|threadId|call|claim|sagaId|userId|username|stated|name|platform|digest|address|ip|hash|by|hookId)\}/;

/**
 * The partitions that a mix of calls asks most, the hottest first. An index partition is reckoned as if all rows had one value (every
 * contact that is made is `stage=new`), and a partition as if it were never split, which those with rising sort keys never are.
 */
export function hotPartitions(calls: MeasuredCalls, shares: Readonly<Record<string, number>>, rates: Rates): Hot[] {
  const perCall = new Map<string, Spent>();
  for (const [name, share] of Object.entries(shares)) {
    for (const [pattern, { puts, writeUnits, readUnits }] of Object.entries(calls[name]?.partitions ?? {})) {
      const sum = perCall.get(pattern) ?? { puts: 0, writeUnits: 0, readUnits: 0 };
      sum.puts += share * puts;
      sum.writeUnits += share * writeUnits;
      sum.readUnits += share * readUnits;
      perCall.set(pattern, sum);
    }
  }
  return [...perCall]
    .filter(([pattern]) => !many.test(pattern) && pattern !== 'scan')
    .map(([pattern, spent]) => hotOf(pattern, spent, rates))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
}

function hotOf(pattern: string, spent: Spent, rates: Rates): Hot {
  const perSecond = callsAt(pattern, rates);
  const [writeUnits, readUnits] = [spent.writeUnits * perSecond, spent.readUnits * perSecond];
  const share = Math.max(writeUnits / partitionLimits.writeUnits, readUnits / partitionLimits.readUnits);
  return { pattern, writeUnits, readUnits, share, rows: rowsOf(pattern) };
}

const queues: readonly ShardedQueue[] = ['outbox', 'due'];

/** How many calls meet at the hottest partition of a pattern. */
function callsAt(pattern: string, { perSecond, busiestPerSecond, keys, endpoints }: Rates): number {
  if (pattern.startsWith(`${sharedPrefixes.key}#`)) return busiestPerSecond / keys;
  if (pattern.includes('{endpointId}')) return busiestPerSecond / Math.max(1, endpoints);
  if (pattern.startsWith('{')) return busiestPerSecond;
  const queue = queues.find((name) => rowKeys[name][0] === pattern);
  const shards = queue === undefined ? 1 : shardsOf(queue).length;
  return busiestPerSecond + (perSecond - busiestPerSecond) / shards;
}

/** What makes a sort key rise: ids and times do, and a partition is written at its end alone. */
const rising = /^\{(?:id|order|sequence|time|began)\}/;

function rowsOf(pattern: string): Hot['rows'] {
  const sk = placesIn(pattern) ?? '';
  if (rising.test(sk)) return 'rising';
  return sk.search(blank) === -1 ? 'one row' : 'apart';
}
