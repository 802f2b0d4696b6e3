import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { Exports } from '#lib/entities/export.ts';
import { type Exporting, exporting } from '#lib/privacy/export/file.ts';
import { newSaga, Sagas } from '#lib/table/saga.ts';
import { transact } from '#lib/table/transact.ts';
import { fillTimeline } from '#test/contacts/timeline.ts';
import { newWorkspace } from '#test/workspace.ts';

test('a file of 60 MB is written in less than half of the memory that its worker has', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant = { workspaceId, env: 'live' } as const;
  const { id: contactId } = (await live.post('/v1/contacts', { name: 'Ada' }, 201)).body;
  await fillTimeline(tenant, contactId, 2000, '…');
  const { exportId, saga } = await transact(tenant, operator, async (tx) => {
    const { id: exportId } = tx.create(Exports, {
      id: await tx.nextId(Exports),
      ...{ status: 'queued', createdAt: tx.now, completedAt: null, sizeBytes: null },
      ...{ contactId, madeOf: contactId, hasMail: true },
    });
    const state: Exporting = { exportId, contactId, place: null, isWhole: false, pieces: [], sizeBytes: 0 };
    // No worker goes on with it.
    const saga = tx.create(Sagas, { ...newSaga(tx, exporting, state), dueAt: shifted(tx.now, dayMs) });
    return { exportId, saga };
  });
  const args = [join(import.meta.dirname, 'exporting.ts'), JSON.stringify({ tenant, saga })];
  // What is only not collected yet does not count.
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=64', ...args]);
  const { sizeBytes } = await transact(tenant, operator, (tx) => tx.get(Exports, { id: exportId }));
  expect(sizeBytes).toBeGreaterThan(60_000_000);
  expect(Number(stdout)).toBeLessThan(256 * 1024 * 1024);
});
