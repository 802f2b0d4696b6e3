import * as v from 'valibot';
import { Jobs } from '#lib/jobs/job.ts';
import { Messages } from '#lib/messages/message.ts';
import { type Entity, indexPartition } from '#lib/table/entity.ts';
import type { Key } from '#lib/table/keys.ts';
import { pages } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { daysOf, isWithin, type Range } from './range.ts';

const common = {
  id: v.number(),
  contactId: v.nullable(v.number()),
  channel: v.string(),
  accountId: v.nullable(v.number()),
  at: v.string(),
};
const SeenMessage = v.object({ ...common, direction: v.picklist(['inbound', 'outbound']) });
const SeenJob = v.object({ ...common, status: v.picklist(['queued', 'sent', 'failed']) });

/** A message that was received or sent. */
export type SeenMessage = v.InferOutput<typeof SeenMessage>;
type SeenJob = v.InferOutput<typeof SeenJob>;

/** What went through the channels. */
export interface Traffic {
  messages: SeenMessage[];
  /** Jobs that failed in the range, and jobs made in it that still wait. */
  jobs: SeenJob[];
}

/** So many queries of an entity are under way at a time. */
const maxQueries = 16;

/** The traffic of a range, from what the indexes keep of every message and job: a query per day and entity, side by side. */
export async function readTraffic(tx: Transaction, range: Range): Promise<Traffic> {
  const days = daysOf(range);
  const [messages, jobs] = await Promise.all([
    readDays(tx, Messages, days, SeenMessage),
    readDays(tx, Jobs, days, SeenJob),
  ]);
  return {
    messages: messages.filter(({ at }) => isWithin(range, at)),
    jobs: jobs.filter(({ at }) => isWithin(range, at)),
  };
}

async function readDays<Row extends v.GenericSchema>(
  tx: Transaction,
  of: Entity,
  days: readonly string[],
  row: Row,
): Promise<v.InferOutput<Row>[]> {
  const rows: v.InferOutput<Row>[] = [];
  const left = [...days];
  const readNext = async () => {
    for (let day = left.pop(); day !== undefined; day = left.pop()) {
      for await (const page of pages({ pk: indexPartition(tx.tenant, of, `day=${day}`), ascending: true })) {
        for (const entry of page) rows.push(v.parse(row, { ...entry, id: Number((entry['of'] as Key).sk) }));
      }
    }
  };
  await Promise.all(Array.from({ length: maxQueries }, readNext));
  return rows;
}
