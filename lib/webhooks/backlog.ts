import * as v from 'valibot';
import { indexPartition } from '#lib/table/entity.ts';
import { pages } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Deliveries, DueDelivery, pendingIndex, retryIndex } from './delivery.ts';
import { instant } from './wake.ts';

/** What waits for an endpoint. */
export interface Backlog {
  /** First attempts in event order. */
  first: DueDelivery[];
  /** Further attempts whose time has come, in order of it. */
  retries: DueDelivery[];
  /** Further attempts whose time is to come. */
  later: DueDelivery[];
  nextRetryAt: string | null;
}

const pageSize = 250;

/** The beginning of what waits, two queries side by side. */
export async function readBacklog(tx: Transaction, endpointId: number): Promise<Backlog> {
  const [first, retrying] = await Promise.all([
    beginning(tx, pendingIndex(endpointId)),
    beginning(tx, retryIndex(endpointId)),
  ]);
  const now = instant(Date.now());
  const later = retrying.filter((entry) => timeOf(entry) > now);
  const [next] = later;
  return {
    first: first.map(parsed),
    retries: retrying.slice(0, retrying.length - later.length).map(parsed),
    later: later.map(parsed),
    nextRetryAt: next ? timeOf(next) : null,
  };
}

const parsed = (entry: Record<string, unknown>) => v.parse(DueDelivery, entry);

/** Entries of the retry index are sorted by `<time>#<id>`. */
const timeOf = (entry: Record<string, unknown>) => (entry['sk'] as string).split('#')[0] as string;

async function beginning(tx: Transaction, index: string): Promise<Record<string, unknown>[]> {
  const pk = indexPartition(tx.tenant, Deliveries, index);
  for await (const page of pages({ pk, ascending: true, limit: pageSize })) return page;
  return [];
}
