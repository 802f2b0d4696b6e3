import type { StreamClient, StreamRecord } from './stream-client.ts';

/** The one shard that the engine has of a stream, whose records it numbers without holes. */
export class Positions {
  readonly #client: StreamClient;
  readonly #streamArn: string;
  #shardId: string | undefined;

  constructor(client: StreamClient, streamArn: string) {
    this.#client = client;
    this.#streamArn = streamArn;
  }

  /** The engine's iterator for what follows a record. */
  async iterator(after: number): Promise<string> {
    const StreamArn = this.#streamArn;
    if (this.#shardId === undefined) {
      const { StreamDescription } = await this.#client.describe({ StreamArn });
      this.#shardId = String(StreamDescription.Shards[0]?.ShardId);
    }
    const at = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: String(after) } as const;
    const { ShardIterator } = await this.#client.iterator({ StreamArn, ShardId: this.#shardId, ...at });
    return ShardIterator;
  }

  /** From `from` on the first position that no record follows, or one that is not passed. */
  async seek(from: number, isPassed: (record: StreamRecord) => boolean): Promise<number> {
    const isBefore = async (position: number) => {
      const record = await this.#recordAfter(position);
      return record !== undefined && isPassed(record);
    };
    let [low, high] = [from, from];
    for (let step = 1; await isBefore(high); step *= 2) {
      low = high + 1;
      high += step;
    }
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (await isBefore(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  async #recordAfter(position: number): Promise<StreamRecord | undefined> {
    const { Records } = await this.#client.read({ ShardIterator: await this.iterator(position), Limit: 1 });
    return Records[0];
  }
}
