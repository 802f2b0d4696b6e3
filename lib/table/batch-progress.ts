import { createHash } from 'node:crypto';
import { epochSeconds } from '#lib/core/clock.ts';
import { Problem } from '#lib/core/problem.ts';
import { type Key, rowPartition, sortableId } from '#lib/table/keys.ts';
import { pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Batch state of a request that runs under an `Idempotency-Key`. */
export interface Claim {
  key: Key;
}

/** Results of the items of a request under an Idempotency-Key, written in the transactions that did them. */
export interface Progress<Outcome> {
  of(index: number): Outcome | undefined;
  /** Keeps the outcome with the item's transaction, which ItemDone refuses when another call was first. */
  mark(tx: UnitOfWork, index: number, outcome: Outcome): void;
}

/** Another call under the same key has done the item. */
export class ItemDone<Outcome> extends Problem {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super('conflict', 'the item is done');
    this.outcome = outcome;
  }
}

const keptSeconds = 24 * 3600;

/** Returns what earlier calls with this claim and body have done; without a claim nothing is kept. */
export async function openProgress<Outcome>(claim: Claim | undefined, body: string): Promise<Progress<Outcome>> {
  if (claim === undefined) return { of: () => undefined, mark: () => {} };
  const pk = rowPartition('outcome', { claim: claim.key.pk });
  const fingerprint = createHash('sha256').update(body).digest('base64url');
  const known = new Map<string, Outcome>();
  for await (const page of pages({ pk, ascending: true })) {
    for (const row of page) if (row['fingerprint'] === fingerprint) known.set(row.sk, read(row));
  }
  return {
    of: (index) => known.get(sortableId(index)),
    mark: (tx, index, outcome) =>
      tx.write(
        {
          key: { pk, sk: sortableId(index) },
          item: { fingerprint, outcome: JSON.stringify(outcome), expiresAtSeconds: epochSeconds() + keptSeconds },
          if: {
            any: [{ absent: ['pk'] }, { isNot: { fingerprint } }, { atMost: { expiresAtSeconds: epochSeconds() } }],
          },
        },
        (row = {}) => new ItemDone(read<Outcome>(row)),
      ),
  };
}

const read = <Outcome>(row: Record<string, unknown>): Outcome => JSON.parse(String(row['outcome']));
