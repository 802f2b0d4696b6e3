import { createHash } from 'node:crypto';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { epochSeconds } from '#lib/clock.ts';
import { env } from '#lib/env.ts';
import type { Claim } from '#lib/http/idempotency.ts';
import { Problem } from '#lib/problem.ts';
import { sortableId } from '#lib/table/keys.ts';
import { pages } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';

/** What the items of a request under an Idempotency-Key have come to, kept in the very transactions that did them. */
export interface Progress<Outcome> {
  of(index: number): Outcome | undefined;
  /** Keeps the outcome with the item's transaction, which ItemDone refuses when another call was first. */
  mark(tx: Transaction, index: number, outcome: Outcome): void;
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

/** What earlier calls with this claim and body have done; without a claim nothing is kept. */
export async function openProgress<Outcome>(claim: Claim | undefined, body: string): Promise<Progress<Outcome>> {
  if (claim === undefined) return { of: () => undefined, mark: () => {} };
  const pk = `${claim.key.pk}/items`;
  const fingerprint = createHash('sha256').update(body).digest('base64url');
  const known = new Map<string, Outcome>();
  for await (const page of pages({ pk, ascending: true })) {
    for (const row of page) if (row['fingerprint'] === fingerprint) known.set(row['sk'] as string, read(row));
  }
  return {
    of: (index) => known.get(sortableId(index)),
    mark: (tx, index, outcome) =>
      tx.write(
        {
          Put: {
            TableName: env('TABLE_NAME'),
            Item: {
              pk,
              sk: sortableId(index),
              fingerprint,
              outcome: JSON.stringify(outcome),
              expiresAtSeconds: epochSeconds() + keptSeconds,
            },
            ConditionExpression: 'attribute_not_exists(pk) OR fingerprint <> :own OR expiresAtSeconds <= :now',
            ExpressionAttributeValues: { ':own': fingerprint, ':now': epochSeconds() },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        (row) => new ItemDone(read<Outcome>(unmarshall(row as Parameters<typeof unmarshall>[0]))),
      ),
  };
}

const read = <Outcome>(row: Record<string, unknown>) => JSON.parse(row['outcome'] as string) as Outcome;
