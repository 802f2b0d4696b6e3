import { Problem } from '#lib/core/problem.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { UnreadableFile } from './rows.ts';
import { beginRun, Lost, type Run } from './run.ts';
import { takeRows } from './take-rows.ts';
import { undoRows } from './undo.ts';

/** Does what an import has to do, for some minutes. What is left then is for the next run. Needs `read-files`, `store-files`. */
export async function workOnImport(tenant: Tenant, id: number): Promise<void> {
  const run = await beginRun(tenant, id);
  if (run === undefined) return;
  const letGo = run.keep();
  try {
    await work(run);
  } catch (error) {
    if (error instanceof Lost) return;
    if (isOfTheFile(error)) return run.fail(error.message);
    await run.release().catch(() => {});
    throw error;
  } finally {
    letGo();
  }
}

async function work(run: Run): Promise<void> {
  if (run.isStuck) return run.fail('the import could not go on: send the rest of the file again');
  if (run.row.work !== 'undo') return takeRows(run);
  const isDone = await undoRows(run);
  return isDone ? run.end('undone') : run.release();
}

/** Whether the file cannot be read, or a custom field of its mapping is gone. */
const isOfTheFile = (error: unknown): error is Error =>
  error instanceof UnreadableFile || (error instanceof Problem && error.status === 400);
