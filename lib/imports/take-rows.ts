import { system } from '#lib/core/tenant.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import { spreads } from '#lib/table/sums.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { writeErrors } from './errors-file.ts';
import { type Group, Groups } from './groups.ts';
import { openFields, Reader } from './mapping.ts';
import { Options, optionMaker } from './options.ts';
import { bytesOf, type KnownForm, rowsOf } from './rows.ts';
import type { Run } from './run.ts';
import { Ended, Hands } from './side-by-side.ts';
import { knownForm, withSource } from './source.ts';
import { Taker } from './take.ts';

/** Rows that are taken in together: each is about four rows of the table, without index entries. */
const rowsTogether = 20;

/** Takes in the rows of an import that are left, as long as the run may go on. Throws UnreadableFile. */
export async function takeRows(run: Run): Promise<void> {
  if (run.isCanceled) {
    // Rows that a run had done before it died.
    for (const ending of (await run.rowsSince(run.counts.place)).values()) run.count(ending);
    if (run.counts.processed === 0) return run.end('canceled');
  }
  await withSource(run.row.key, async (path) => {
    const form = await knownForm(path, run.row);
    if (run.row.total === null) await scan(run, path, form);
    if (!run.isCanceled) await takeThem(run, path, form);
    if (!run.isCanceled && run.counts.place < Number(run.row.total)) {
      if (!run.isTooOld) return run.release();
      return run.fail('the import has taken 24 hours: send the rest of the file again');
    }
    const hasErrors = run.counts.failed > 0;
    if (hasErrors) await writeErrors(run, path, form);
    await run.end(run.isCanceled ? 'canceled' : 'completed', { hasErrors });
  });
}

/** Counts the rows, so that a file that cannot be read to its end changes nothing. */
async function scan(run: Run, path: string, form: KnownForm): Promise<void> {
  let total = 0;
  for await (const { place } of rowsOf(bytesOf(path), form)) {
    total = place;
    if (total % 1000 === 0) await run.breathe();
  }
  await run.tell({ total, encoding: form.encoding });
}

async function takeThem(run: Run, path: string, form: KnownForm): Promise<void> {
  const taker = await takerOf(run);
  const first = run.counts.place;
  const done = await run.rowsSince(first);
  // Each run that has done a row is progress, however soon it died.
  if (first + done.size > run.row.reached) await run.tell({ reached: first + done.size });
  const hands = new Hands(spreads);
  const ended = new Ended(first, (ending) => run.count(ending));
  // A run that has brought nothing to an end is followed by one that takes row by row.
  const groups = new Groups(run.row.tries > 1 ? 1 : rowsTogether);
  let spread = 0;
  const start = ({ rows, touched }: Group) => {
    const own = spread;
    spread = (spread + 1) % spreads;
    hands.start(touched, async () => {
      await run.checkCanceled();
      if (run.isCanceled) return;
      await taker.takeAll(rows, own, (given, ending) => {
        ended.add(given.row.place, ending);
        groups.end(given, ending);
      });
    });
  };
  for await (const row of rowsOf(bytesOf(path), form)) {
    if (row.place <= first) {
      if (run.row.dryRun) taker.imagine(taker.given(row).input);
      continue;
    }
    const ending = done.get(row.place);
    if (ending !== undefined) {
      ended.add(row.place, ending);
      continue;
    }
    const group = groups.add(taker.given(row));
    if (group === undefined) continue;
    await hands.free();
    await run.breathe();
    if (run.isOver) break;
    start(group);
  }
  if (!run.isOver) start(groups.rest());
  await hands.rest();
  if (run.isCanceled) ended.rest();
  if (run.hasMoved) await run.tell();
}

async function takerOf({ tenant, row }: Run): Promise<Taker> {
  const tx = UnitOfWork.forAnswer(tenant, system);
  const [fields, workspace] = await Promise.all([
    openFields(tx, row.object),
    tx.get(Workspaces, { id: tenant.workspaceId }),
  ]);
  const reader = new Reader(row, fields, workspace.currency);
  return new Taker(tenant, row, reader, new Options(fields, optionMaker(tenant, row.actor, row.isSilent)));
}
