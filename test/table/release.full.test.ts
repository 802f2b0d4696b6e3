import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { handler as sweepOnce } from '#functions/workers/sweep.ts';
import { timestamp } from '#lib/clock.ts';
import { entities } from '#lib/entities/all.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { allRows } from '#lib/table/all-rows.ts';
import { releaseKey } from '#lib/table/completeness.ts';
import { indexEntries, latestVersion } from '#lib/table/entity.ts';
import { rowKey } from '#lib/table/keys.ts';
import { findReindexing, incomplete, reindexSagaId } from '#lib/table/reindex.ts';
import { readRow, readRows } from '#lib/table/rows.ts';
import { Sagas } from '#lib/table/saga.ts';
import { writtenAs } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { addTo } from '#lib/table/update.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { readEnvironment, type System, startSystem } from '#test/system.ts';

/** Contacts as the release before writes them: it does not know the newest index. */
const { handle: _, ...indexes } = Contacts.indexes ?? {};
const Older = { ...Contacts, upgrades: Contacts.upgrades?.slice(0, 1) ?? [], indexes };

/** More than one sweep starts. */
const tenants = Array.from({ length: 7 }, (_, index): Tenant => ({ workspaceId: index + 1, env: 'live' }));
const [large] = tenants as [Tenant];
const countIn = (tenant: Tenant) => (tenant === large ? 400 : 5);

let dataDir: string;
let local: System;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'crm-release-'));
  local = await startSystem(dataDir, { RELEASE_GRACE_SECONDS: '0' });
  Object.assign(process.env, await readEnvironment(dataDir), { RELEASE_GRACE_SECONDS: '0' });
  for (const tenant of tenants) await fill(tenant, countIn(tenant));
  // No sweep knows of the workspaces before they are all there.
  await addTo(rowKey('workspaceIds', {}), { last: tenants.length });
});

afterAll(async () => {
  await local.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function fill(tenant: Tenant, count: number): Promise<void> {
  const contact = { phone: null, email: null, company: null, notes: null, leadScore: null, lastMessageAt: null };
  const more = { leadScoreIsAi: false, assignedToUserId: null, hasUnreadMessages: false, tagIds: [], metadata: {} };
  for (let first = 1; first <= count; first += 10)
    await transact(tenant, system, async (tx) => {
      for (let id = first; id < Math.min(first + 10, count + 1); id += 1)
        tx.create(Older, {
          ...contact,
          ...more,
          id,
          platform: 'telegram',
          stage: 'new',
          name: `Contact ${id}`,
          username: `contact_${id}`,
          identities: {},
          createdAt: timestamp(),
          updatedAt: null,
        });
    });
}

const unit = (tenant: Tenant) => new UnitOfWork(tenant, system);

async function contactsOf(tenant: Tenant) {
  const rows = [];
  for await (const row of allRows(tenant, Contacts)) rows.push(row);
  return rows;
}

/** How many workspaces' reindexing was started, and how often that was written down. */
async function startedSoFar(): Promise<{ started: number; looks: number }> {
  const row = await readRow(releaseKey);
  return { started: Number(row?.['started'] ?? 0), looks: Number(row?.['revision'] ?? 0) };
}

/** A sweep by this process; the system has its own besides, once a minute. Each starts five workspaces at most. */
async function sweepOneMore(): Promise<void> {
  const before = await startedSoFar();
  await sweepOnce({});
  const after = await startedSoFar();
  expect(after.started - before.started).toBeLessThanOrEqual(5 * (after.looks - before.looks));
}

/** Kills the worker of sagas in the middle of the large workspace. Returns which workspaces wait then for a try that has ended. */
async function killWorker(): Promise<Tenant[]> {
  await eventually(async () => ((await findReindexing(unit(large)))?.rewritten ?? 0) > 0, 'the first rewritten rows');
  const request = join(dataDir, 'kill', 'CrmApi-WorkersFinishSagas');
  await writeFile(request, '');
  while (existsSync(request)) await sleep(20);
  const found = await Promise.all(tenants.map((tenant) => unit(tenant).find(Sagas, { id: reindexSagaId })));
  return tenants.filter((_, index) => (found[index]?.dueAt ?? '') > timestamp());
}

/** A worker that was killed before it had claimed its saga is not among those; the queue has its message for minutes. */
const standstillMs = 5000;

/** The time of the try that was killed is over. */
const endWait = (tenant: Tenant) =>
  transact(tenant, system, async (tx) => {
    const saga = await tx.find(Sagas, { id: reindexSagaId });
    if (saga) tx.update(Sagas, { ...saga, dueAt: tx.now });
  });

test('after a deploy the sweeps reindex every workspace, a few at a time, whatever is killed', async () => {
  for (const tenant of tenants) expect(await incomplete(tenant, entities)).toContain(Contacts.name);
  let writes = 0;
  await eventually(async () => {
    await dyingAfter(writes, () => sweepOnce({}));
    writes += 1;
    return findReindexing(unit(large));
  }, 'a sweep that dies to get as far as the large workspace');
  const killed = await killWorker();
  expect(killed).toContainEqual(large);
  expect((await findReindexing(unit(large)))?.read).toBeLessThan(countIn(large));
  for (const tenant of killed) await endWait(tenant);
  const isComplete = async (tenant: Tenant) => (await incomplete(tenant, entities)).length === 0;
  const standing = new Map<Tenant, { read: number; sinceMs: number }>();
  const endWaitOfStanding = async (tenant: Tenant) => {
    const { read = 0 } = (await findReindexing(unit(tenant))) ?? {};
    const before = standing.get(tenant);
    if (before?.read !== read) standing.set(tenant, { read, sinceMs: Date.now() });
    else if (Date.now() - before.sinceMs > standstillMs) {
      standing.delete(tenant);
      await endWait(tenant);
    }
  };
  await eventually(
    async () => {
      await sweepOneMore();
      for (const tenant of tenants) await endWaitOfStanding(tenant);
      return (await Promise.all(tenants.map(isComplete))).every(Boolean);
    },
    'every workspace to be complete',
    170_000,
  );
  for (const tenant of tenants) {
    const rows = await contactsOf(tenant);
    expect(rows.length).toBe(countIn(tenant));
    expect(rows.filter((row) => writtenAs(row) !== latestVersion(Contacts))).toEqual([]);
    const contacts = await unit(tenant).findAll(
      Contacts,
      rows.map((_, index) => ({ id: index + 1 })),
    );
    const expected = contacts.flatMap((contact) => [...indexEntries(tenant, Contacts, contact).values()]);
    expect((await readRows(expected)).size).toBe(expected.length);
  }
});
