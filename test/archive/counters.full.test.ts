import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ArchivedRow } from '#lib/archive/archive.ts';
import { exportWorkspace } from '#lib/archive/export.ts';
import { importWorkspace } from '#lib/archive/import.ts';
import { entities } from '#lib/entities/all.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Invoices } from '#lib/entities/invoice.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { Tasks } from '#lib/entities/task.ts';
import { abandoned } from '#lib/jobs/after.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { incomplete } from '#lib/table/reindex.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { operator } from '#lib/tenant.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { eventually } from '#test/client.ts';
import { clientOf, rowOf, taken } from './handmade.ts';

const folder = await mkdtemp(join(tmpdir(), 'crm-counters-'));
afterAll(() => rm(folder, { recursive: true }));

const all = entities.map((of) => rowOf(of));
const later = '2099-01-01T00:00:00Z';
const past = '2026-01-01T00:00:00Z';
const queued = {
  status: 'queued',
  isHeld: false,
  completedAt: null,
  claimedUntil: null,
  runAt: later,
  queuedFor: later,
};

/** Exports a workspace and takes the file in elsewhere. */
async function copied(id: number): Promise<number> {
  const file = join(folder, `${id}.ndjson`);
  await eventually(
    async () => {
      const isQuiet = (await incomplete({ workspaceId: id, env: 'live' }, entities)).length === 0;
      return isQuiet && exportWorkspace(id, file).catch(() => undefined);
    },
    'the workspace to be quiet',
    60_000,
  );
  const copy = await createWorkspace({ name: 'Copy', currency: 'USD' });
  await importWorkspace(copy.id, file);
  return copy.id;
}

/** By the entity's kind of partition. */
const changed = (fields: ReadonlyMap<object, object>): ArchivedRow[] => {
  const byPlace = new Map(entities.map((of) => [rowOf(of).pk, fields.get(of)]));
  return all.map((row) => ({ ...row, ...byPlace.get(row.pk) }));
};

test.each<[string, ArchivedRow[]]>([
  ['left out', []],
  [
    'too high, and of what there is not',
    ['tasks/open', 'deals/lead/EUR', 'contacts/stage=new', 'contacts/stage=odd', 'queued/telegram/1'].map((name) => ({
      ...{ pk: `:live#count/${name.split('/')[0]}`, sk: `${name.slice(name.indexOf('/') + 1)}#0` },
      ...{ count: 7, queued: 7 },
    })),
  ],
])('counters of an archive that are %s are counted from its items', async (_, counters) => {
  const rows = changed(
    new Map<object, object>([
      [Tasks, { status: 'open', dueAt: past, completedAt: null }],
      [Deals, { stage: 'lead' }],
      [Invoices, { status: 'sent' }],
      [Jobs, queued],
    ]),
  );
  const id = await taken([...rows, ...counters]);
  const client = await clientOf(id);
  const dashboard = async () => (await client.get('/v1/analytics/dashboard')).body;
  expect(await dashboard()).toMatchObject({
    contacts: { total: 1 },
    deals: { open: 1 },
    tasks: { open: 1, overdue: 1 },
  });
  await client.post('/v1/tasks/1/status', { status: 'done' }, 200);
  await client.post('/v1/deals/1/stage', { stage: 'lost' }, 200);
  expect(await dashboard()).toMatchObject({ deals: { open: 0 }, tasks: { open: 0, overdue: 0 } });
  const copy = await clientOf(await copied(id));
  expect((await copy.get('/v1/analytics/dashboard')).body).toMatchObject({
    contacts: { total: 1 },
    tasks: { open: 0, overdue: 0 },
  });
});

test('contacts of an older version, of more months than a row has room for, are exported and taken in', async () => {
  const months = Array.from({ length: 450 }, (_, n) => {
    const [year, month] = [1 + Math.floor(n / 12), 1 + (n % 12)].map(String);
    return `${year?.padStart(4, '0')}-${month?.padStart(2, '0')}`;
  });
  const rows = months.map((month, n) => {
    // The same spread for all.
    const fields = { id: 8 * (n + 1), tagIds: [], createdAt: `${month}-01T00:00:00Z` };
    const { entityVersion: _, ...older } = rowOf(Contacts, fields);
    return older as ArchivedRow;
  });
  const client = await clientOf(await copied(await taken(rows)));
  const made = async (from: string, to: string) =>
    (await client.get(`/v1/analytics/dashboard?from=${from}T00:00:00Z&to=${to}T00:00:00Z`)).body.contacts;
  expect(await made('0001-01-02', '0001-12-31')).toMatchObject({ total: 450, new: 11 });
  expect(await made('0010-01-01', '0010-12-31')).toMatchObject({ total: 450, new: 12 });
  expect(await made('2025-11-26', '2026-11-26')).toMatchObject({ total: 450, new: 0 });
});

test.each<[string, object, object]>([
  ['of another enrollment', { sequenceId: 1, enrollmentId: 7 }, {}],
  ['of no sequence', { sequenceId: null, enrollmentId: null }, {}],
  ['that has ended', { sequenceId: 1, enrollmentId: 1, status: 'sent', completedAt: past }, {}],
  ['that nobody has made', {}, { jobId: null }],
])('an enrollment that waits for a job %s has stopped', async (_, job, enrollment) => {
  const rows = changed(
    new Map<object, object>([
      [Jobs, { ...queued, ...job }],
      [Sequences, { status: 'active', pausedAt: null, completedAt: null, activeCount: 1 }],
      [
        Enrollments,
        { status: 'active', jobId: 1, nextRunAt: null, heldAt: null, completedAt: null, currentStep: 1, ...enrollment },
      ],
    ]),
  );
  const workspaceId = await taken(rows);
  const client = await clientOf(workspaceId);
  expect((await client.get('/v1/sequences/1/enrollments')).body.items).toMatchObject([{ status: 'stopped' }]);
  expect((await client.get('/v1/sequences/1')).body.activeCount).toBe(0);
  const again = await transact({ workspaceId, env: 'live' }, operator, (tx) => enroll(tx, 1, 1));
  expect(again).toMatchObject({ status: 'active' });
});

test('an enrollment goes on whose own message is yet to leave', async () => {
  const rows = changed(
    new Map<object, object>([
      [Jobs, { ...queued, sequenceId: 1, enrollmentId: 1 }],
      [Sequences, { status: 'active', pausedAt: null, completedAt: null, activeCount: 0 }],
      [Enrollments, { status: 'active', jobId: 1, nextRunAt: null, heldAt: null, completedAt: null, currentStep: 1 }],
    ]),
  );
  const client = await clientOf(await taken(rows));
  expect((await client.get('/v1/sequences/1/enrollments')).body.items).toMatchObject([{ status: 'active' }]);
  expect((await client.get('/v1/sequences/1')).body.activeCount).toBe(1);
});

test.each<[string, object, object, object, object]>([
  [
    'an enrollment of a completed sequence has stopped',
    { status: 'completed' },
    { nextRunAt: later, heldAt: null, jobId: null },
    { status: 'stopped', nextRunAt: null },
    { isHeld: false },
  ],
  [
    'what is held in an active sequence goes on',
    { status: 'active' },
    { nextRunAt: null, heldAt: past, jobId: 1 },
    { status: 'active', heldAt: null },
    { isHeld: false },
  ],
  [
    'what is held in a paused sequence stays so',
    { status: 'paused' },
    { nextRunAt: null, heldAt: past, jobId: 1 },
    { status: 'active', heldAt: past },
    { isHeld: true },
  ],
])('%s', async (_, sequence, enrollment, expected, job) => {
  const rows = changed(
    new Map<object, object>([
      [Jobs, { ...queued, isHeld: true, sequenceId: 1, enrollmentId: 1 }],
      [Sequences, { pausedAt: null, completedAt: null, ...sequence }],
      [Enrollments, { status: 'active', completedAt: null, currentStep: 1, ...enrollment }],
    ]),
  );
  const tx = new UnitOfWork({ workspaceId: await taken(rows), env: 'live' }, operator);
  expect(await tx.get(Enrollments, { sequenceId: 1, id: 1 })).toMatchObject(expected);
  expect(await tx.get(Jobs, { id: 1 })).toMatchObject(job);
  const { activeCount } = await tx.get(Sequences, { id: 1 });
  expect(activeCount).toBe(Number('status' in expected && expected.status === 'active'));
});

test('a job of more attempts in doubt than there were is given up with none', async () => {
  const rows = changed(new Map<object, object>([[Jobs, { ...queued, attempts: 2, unsettledAttempts: 5 }]]));
  const tx = new UnitOfWork({ workspaceId: await taken(rows), env: 'live' }, operator);
  const job = await tx.get(Jobs, { id: 1 });
  expect(job.unsettledAttempts).toBe(2);
  expect(abandoned({ ...job, attempts: 0, unsettledAttempts: 5 }, 1)?.attempts ?? 0).toBeGreaterThanOrEqual(0);
});
