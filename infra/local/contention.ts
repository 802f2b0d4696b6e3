import { type Asked, isRead, isWrite, keyOf, type Place, placesIn, shares, unitsIn } from './contention/calls.ts';
import { Throughput } from './contention/throughput.ts';

export interface TableLimits {
  /** A transaction has its items in hand for so long, and then for as long as the engine takes. */
  transactionMs: number;
  /** Of one partition in a second; infinite where none is refused. */
  writeUnits: number;
  readUnits: number;
}

const none: TableLimits = {
  transactionMs: 0,
  writeUnits: Number.POSITIVE_INFINITY,
  readUnits: Number.POSITIVE_INFINITY,
};

/** What is answered in the place of the table. */
export interface Instead {
  status: number;
  body: object;
}

/** A call that may go to the table. */
export interface Admitted {
  /** So long it has what it writes in hand before. */
  waitMs: number;
  /** The table is to say what it costs. */
  isMetered: boolean;
  /** It is over, with what was answered where that was heard. */
  end(said?: string): void;
}

/** Whether a call is refused for what transactions have in hand. */
const meetsOthers = (operation: string) => isWrite(operation) || operation === 'TransactGetItems';

/** What DynamoDB refuses on account of other calls, and the engine does not: it makes them wait for each other. */
export class Contention {
  readonly #limits: TableLimits;
  /** The items of transactions that go on, each with the token of its own. */
  readonly #inHand = new Map<string, string | undefined>();
  readonly #writes: Throughput | undefined;
  readonly #reads: Throughput | undefined;

  constructor(limits: Partial<TableLimits> = {}) {
    this.#limits = { ...none, ...limits };
    const { writeUnits, readUnits } = this.#limits;
    if (Number.isFinite(writeUnits)) this.#writes = new Throughput(writeUnits);
    if (Number.isFinite(readUnits)) this.#reads = new Throughput(readUnits);
  }

  /** Whether it must know what a call says. */
  watches(operation: string): boolean {
    return meetsOthers(operation) || (isRead(operation) && this.#reads !== undefined);
  }

  begin(operation: string, asked: Asked): Admitted | Instead {
    const instead = (meetsOthers(operation) ? this.#conflict(asked) : undefined) ?? this.#throttled(operation, asked);
    if (instead) return instead;
    const isTransaction = operation === 'TransactWriteItems';
    const held = isTransaction ? placesIn(asked).map(nameOf) : [];
    for (const name of held) this.#inHand.set(name, asked.ClientRequestToken);
    const throughput = this.#throughputOf(operation);
    return {
      waitMs: isTransaction ? this.#limits.transactionMs : 0,
      isMetered: throughput !== undefined,
      end: (said) => {
        for (const name of held.splice(0)) this.#inHand.delete(name);
        if (said === undefined || !throughput) return;
        for (const { place, share } of shares(asked, unitsIn(said))) throughput.spend(partitionOf(place), share);
      },
    };
  }

  #throughputOf(operation: string): Throughput | undefined {
    return isWrite(operation) ? this.#writes : this.#reads;
  }

  #conflict(asked: Asked): Instead | undefined {
    const isHeld = (place: Place) => this.#inHand.has(nameOf(place));
    const held = placesIn(asked).filter(isHeld);
    if (held.length === 0) return undefined;
    const { ClientRequestToken: token } = asked;
    const isSame = token !== undefined && held.some((place) => this.#inHand.get(nameOf(place)) === token);
    if (isSame) return refusal('TransactionInProgressException', 'The transaction with the given token is in progress');
    return conflictOf(asked, isHeld);
  }

  #throttled(operation: string, asked: Asked): Instead | undefined {
    const throughput = this.#throughputOf(operation);
    if (!throughput || operation === 'Scan') return undefined;
    const places = placesIn(asked);
    const isSpent = (place: Place) => throughput.isSpent(partitionOf(place));
    const spent = places.filter(isSpent).length;
    if (spent === 0) return undefined;
    if (asked.TransactItems) {
      const because = { Code: 'ThrottlingError', Message: tooMuch };
      return canceled(places.map((place) => (isSpent(place) ? because : { Code: 'None' })));
    }
    if (asked.RequestItems && spent < places.length) return unprocessed(operation, asked);
    const reason = `Table${isWrite(operation) ? 'Write' : 'Read'}KeyRangeThroughputExceeded`;
    return refusal('ThrottlingException', tooMuch, { throttlingReasons: [{ reason }] });
  }
}

/** What DynamoDB says of a call while transactions have some of its items in hand. */
export function conflictOf(asked: Asked, isHeld: (place: Place) => boolean): Instead {
  const because = { Code: 'TransactionConflict', Message: ongoing };
  if (asked.TransactItems)
    return canceled(placesIn(asked).map((place) => (isHeld(place) ? because : { Code: 'None' })));
  if (asked.RequestItems) return unprocessed('BatchWriteItem', asked);
  return refusal('TransactionConflictException', ongoing);
}

const ongoing = 'Transaction is ongoing for the item';
const tooMuch =
  'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or index so please try again shortly.';

function canceled(CancellationReasons: { Code: string; Message?: string }[]): Instead {
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return refusal('TransactionCanceledException', message, { CancellationReasons });
}

/** Of a batch DynamoDB leaves what it cannot do; here all of it, since the table itself would do all. */
const unprocessed = (operation: string, { RequestItems }: Asked): Instead => ({
  status: 200,
  body:
    operation === 'BatchWriteItem'
      ? { UnprocessedItems: RequestItems }
      : { Responses: {}, UnprocessedKeys: RequestItems },
});

export const refusal = (code: string, message: string, more: object = {}): Instead => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${code}`, message, ...more },
});

const partitionOf = (place: Place) => JSON.stringify(keyOf(place).pk);

const nameOf = (place: Place) => {
  const { pk, sk } = keyOf(place);
  return JSON.stringify([pk, sk]);
};
