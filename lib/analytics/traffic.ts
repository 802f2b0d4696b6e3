import * as v from 'valibot';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { id, storedChoice } from '#lib/schema.ts';
import { type EntryRow, entries } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { daysOf, isWithin, type Range } from './range.ts';

const common = {
  id: id(),
  contactId: v.nullable(id()),
  channel: v.string(),
  accountId: v.nullable(id()),
  at: v.string(),
};
const SeenMessage = v.object({ ...common, direction: storedChoice(['inbound', 'outbound']) });
const SeenJob = v.object({ ...common, status: storedChoice(['queued', 'sent', 'failed']) });

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
export async function readTraffic(tx: UnitOfWork, range: Range): Promise<Traffic> {
  const days = daysOf(range);
  const [messages, jobs] = await Promise.all([
    readDays((day) => entries(tx, Messages, { day }, { ascending: true }), days, SeenMessage),
    readDays((day) => entries(tx, Jobs, { day }, { ascending: true }), days, SeenJob),
  ]);
  return {
    messages: messages.filter(({ at }) => isWithin(range, at)),
    jobs: jobs.filter(({ at }) => isWithin(range, at)),
  };
}

async function readDays<Row extends v.GenericSchema>(
  entriesOf: (day: string) => AsyncIterable<EntryRow[]>,
  days: readonly string[],
  row: Row,
): Promise<v.InferOutput<Row>[]> {
  const rows: v.InferOutput<Row>[] = [];
  const left = [...days];
  const readNext = async () => {
    for (let day = left.pop(); day !== undefined; day = left.pop()) {
      for await (const page of entriesOf(day)) {
        for (const entry of page) rows.push(v.parse(row, { ...entry, id: Number(entry.of.sk) }));
      }
    }
  };
  await Promise.all(Array.from({ length: maxQueries }, readNext));
  return rows;
}
