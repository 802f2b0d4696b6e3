import { DataExports, type StoredDataExport } from '#lib/entities/data-export.ts';
import { removeFolder } from '#lib/files/bucket.ts';
import { dataExportFolder } from '#lib/files/keys.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const rowsAtOnce = 20;
const error = 'a contact was erased, and the file may have named it: export again';

/**
 * Removes the files of all exports of an environment, since each may hold what was erased; those under way begin anew. Returns whether
 * some are left. Needs `list-export-files`.
 */
export async function withdrawExports(tx: UnitOfWork): Promise<boolean> {
  const hasFile = ({ key }: StoredDataExport) => key !== null;
  const { items, hasMore } = await listPage(tx, DataExports, { limit: rowsAtOnce, matches: hasFile });
  if (items.length > 0) await removeFolder(dataExportFolder(tx.tenant));
  for (const row of items) tx.update(DataExports, { ...row, key: null, ...withdrawn(row, tx.now) });
  return hasMore;
}

/** Returns what becomes of an export without its file. One whose day is over stays as it is. */
function withdrawn({ status, expiresAt }: StoredDataExport, now: string): Partial<StoredDataExport> {
  if (status !== 'completed') return { status: 'queued', dueAt: now, leasedUntil: null, tries: 0 };
  if (expiresAt === null || expiresAt <= now) return {};
  return { status: 'failed', rows: null, sizeBytes: null, expiresAt: null, error };
}
