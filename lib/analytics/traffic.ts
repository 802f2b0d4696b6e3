import * as v from 'valibot';
import { id, storedChoice } from '#lib/core/schema.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import type { EntryRow } from '#lib/table/entries.ts';
import type { Meter } from '#lib/table/pages.ts';
import { eachInRange } from '#lib/table/summing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Range } from './range.ts';
import { Conversations } from './replies.ts';

const common = {
  id: id(),
  contactId: v.nullable(id()),
  channel: v.string(),
  accountId: v.nullable(id()),
  at: v.string(),
};
const SeenMessage = v.object({
  ...common,
  direction: storedChoice(['inbound', 'outbound']),
  isAutomatic: v.exactOptional(v.boolean()),
});
const SeenJob = v.object({ ...common, status: storedChoice(['queued', 'sent', 'failed']) });

/** A message that was received or sent. */
export type SeenMessage = v.InferOutput<typeof SeenMessage>;
/** One that failed in the range, or was made in it and still waits. */
type SeenJob = v.InferOutput<typeof SeenJob>;

/** Sums of the traffic of the channels. */
export class Traffic {
  #sent = 0;
  #failed = 0;
  #received = 0;
  queued = 0;
  readonly conversations = new Conversations();

  addMessage(message: SeenMessage): void {
    if (message.direction === 'outbound') this.#sent += 1;
    else this.#received += 1;
    this.conversations.add(message);
  }

  addJob({ status }: SeenJob): void {
    if (status === 'failed') this.#failed += 1;
    else if (status === 'queued') this.queued += 1;
  }

  /** Returns the sums of messages that both analyses need. */
  get sums() {
    return {
      sent: this.#sent,
      failed: this.#failed,
      received: this.#received,
      replyRate: this.conversations.replyRate,
    };
  }
}

type Take<One> = (one: One) => void;

/**
 * The traffic of a range, from what the indexes keep of every message and job: a query per month and entity, side by side. It is told to
 * whoever sums it, in no order, and nobody keeps it. Not all of it where the meter has stopped.
 */
export const eachOfTraffic = (
  tx: UnitOfWork,
  range: Range,
  meter: Meter,
  sums: { addMessage: Take<SeenMessage>; addJob: Take<SeenJob> },
) =>
  Promise.all([
    eachMessage(tx, range, meter, (message) => sums.addMessage(message)),
    eachJob(tx, range, meter, (job) => sums.addJob(job)),
  ]);

/** The messages of that traffic alone. */
export const eachMessage = (tx: UnitOfWork, range: Range, meter: Meter, take: Take<SeenMessage>): Promise<void> =>
  eachInRange(tx, Messages, range, meter, (entry) => take(seenOf(SeenMessage, entry)));

/** The jobs of that traffic alone. */
const eachJob = (tx: UnitOfWork, range: Range, meter: Meter, take: Take<SeenJob>): Promise<void> =>
  eachInRange(tx, Jobs, range, meter, (entry) => take(seenOf(SeenJob, entry)));

const seenOf = <Schema extends v.GenericSchema>(seen: Schema, entry: EntryRow): v.InferOutput<Schema> =>
  v.parse(seen, { ...entry, id: Number(entry.of.sk) });
