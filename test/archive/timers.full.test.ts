import { expect, test } from 'vitest';
import type { ArchivedRow } from '#lib/archive/archive.ts';
import { timestamp } from '#lib/clock.ts';
import { entities } from '#lib/entities/all.ts';
import { shardsOf } from '#lib/table/keys.ts';
import { pages } from '#lib/table/pages.ts';
import { eventually } from '#test/client.ts';
import { rowOf, taken } from './handmade.ts';

const all = entities.map((of) => rowOf(of));
/** All rows, with other fields in some, by their partitions; without those of which there are none. */
const withFields = (fields: Readonly<Record<string, object | undefined>>): ArchivedRow[] =>
  all.flatMap((row) => {
    const [, place = ''] = row.pk.split('#');
    return place in fields && fields[place] === undefined ? [] : [{ ...row, ...fields[place] }];
  });

const active = { status: 'active' };
const due = { heldAt: null, jobId: null, currentStep: 0 };
const enrollments = 'sequence/1/enrollment';

/** Timers of a workspace whose time has come. */
async function dueIn(workspaceId: number): Promise<string[]> {
  const found: string[] = [];
  for (const pk of shardsOf('due'))
    for await (const page of pages({ pk, below: timestamp(), ascending: true }))
      for (const row of page) if (String(row['tenant']).startsWith(`${workspaceId}:`)) found.push(row.sk);
  return found;
}

test.each<[string, Readonly<Record<string, object | undefined>>]>([
  ['of a workspace as an export has it', { campaign: active, [enrollments]: due }],
  ['of a step beyond the last one', { campaign: active, [enrollments]: { ...due, currentStep: 7 } }],
  ...['draft', 'paused', 'completed'].map((status): [string, Record<string, object>] => [
    `of an enrollment that goes on in a ${status} sequence`,
    { campaign: { status }, [enrollments]: due },
  ]),
  ['of an endpoint without its health', { campaign: active, 'webhook-health': undefined }],
])('a timer rings until its worker has been there, and no longer: %s', async (_, fields) => {
  const id = await taken(withFields(fields));
  expect(await eventually(async () => (await dueIn(id)).length === 0, 'the timers', 60_000)).toBe(true);
});
