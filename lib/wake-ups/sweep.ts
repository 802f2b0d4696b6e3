import * as v from 'valibot';
import { secondMs, timestamp } from '#lib/clock.ts';
import { OutboxRow, outboxPrefix } from '#lib/events/outbox.ts';
import { publish } from '#lib/events/publish.ts';
import { duePrefix } from '#lib/table/entity.ts';
import { shardsOf } from '#lib/table/keys.ts';
import { pages } from '#lib/table/list.ts';
import { sendWakeUps } from './send.ts';
import { WakeUpRow } from './wake-up.ts';

const graceMs = 5 * secondMs;

/**
 * Repairs what a crash interrupted: rows past their time are told again, outbox rows that nobody published are published. Returns
 * how many of each were found; more than a few is a fault somewhere. What fails keeps nothing else waiting; throws at the end.
 */
export async function sweep(): Promise<{ overdueRows: number; unpublishedRows: number }> {
  const before = new Date(Date.now() - graceMs);
  const failures: unknown[] = [];
  const trying = (work: () => Promise<void>) => work().catch((error: unknown) => failures.push(error));
  let overdueRows = 0;
  for (const pk of shardsOf(duePrefix)) {
    for await (const page of pages({ pk, ascending: true, below: timestamp(before) })) {
      overdueRows += page.length;
      await trying(async () => sendWakeUps(page.map((row) => v.parse(WakeUpRow, row))));
    }
  }
  let unpublishedRows = 0;
  for (const pk of shardsOf(outboxPrefix)) {
    for await (const page of pages({ pk, ascending: true, below: before.toISOString() })) {
      unpublishedRows += page.length;
      await trying(async () => publish(page.map((row) => v.parse(OutboxRow, row))));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the sweep failed`);
  return { overdueRows, unpublishedRows };
}
