import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { sagaKinds } from '#functions/saga-kinds.ts';
import { exportWorkspace } from '#infra/admin/archive/export.ts';
import { finishWorkspace } from '#infra/admin/archive/finish.ts';
import { importWorkspace } from '#infra/admin/archive/import.ts';
import { id, text } from '#lib/core/schema.ts';
import { environments, operator, type Tenant } from '#lib/core/tenant.ts';
import { entities } from '#lib/entities/all.ts';
import { CreateWorkspace, PatchWorkspace } from '#lib/entities/workspace.ts';
import { latestVersion } from '#lib/table/entity.ts';
import { findReindexing, startReindexing } from '#lib/table/reindex.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { getWorkspace, patchWorkspace } from '#lib/workspaces/store.ts';

async function create(input: v.InferOutput<typeof CreateWorkspace>) {
  const workspace = await createWorkspace(input);
  return { id: workspace.id };
}

const Update = v.object({ id: id(), ...PatchWorkspace.entries });

async function update({ id: workspaceId, ...patch }: v.InferOutput<typeof Update>) {
  const { name, currency, timeZone, country, linkByDomain } = await transact(
    { workspaceId, env: 'live' },
    operator,
    (tx) => patchWorkspace(tx, patch),
  );
  return { id: workspaceId, name, currency, timeZone, country, linkByDomain };
}

const One = v.object({ id: id() });
type One = v.InferOutput<typeof One>;

/** How far the reindexing of an environment is; null when none is under way. */
async function reindexingIn(tenant: Tenant) {
  const under = await findReindexing(new UnitOfWork(tenant, operator));
  return { reindexing: under === undefined ? null : { read: under.read, rewritten: under.rewritten } };
}

async function show({ id: workspaceId }: One) {
  const { name, currency, createdAt } = await getWorkspace(new UnitOfWork({ workspaceId, env: 'live' }, operator));
  const [live, test] = await Promise.all(environments.map((env) => reindexingIn({ workspaceId, env })));
  return { id: workspaceId, name, currency, createdAt, live, test };
}

/** Writes the rows of older versions as this release does. Says on standard error how far that is, until it is done. */
async function reindex({ id: workspaceId }: One) {
  await show({ id: workspaceId });
  const changed = entities.filter((of) => latestVersion(of) > 1);
  for (const env of environments) await transact({ workspaceId, env }, operator, (tx) => startReindexing(tx, changed));
  for (let before = ''; ; ) {
    const now = await show({ id: workspaceId });
    if (!now.live?.reindexing && !now.test?.reindexing) return now;
    const said = JSON.stringify(now);
    if (said !== before) process.stderr.write(`${said}\n`);
    before = said;
    await sleep(1000);
  }
}

function existing(file: string): string {
  const path = resolve(file);
  if (!existsSync(path)) throw new Error(`there is no file ${path}`);
  return path;
}

const Archive = v.object({ id: id(), file: text(4096) });
type Archive = v.InferOutput<typeof Archive>;

/** With `unsigned`, of another deployment or made by hand, where the stage allows it. */
const Import = v.object({ ...Archive.entries, unsigned: v.optional(v.boolean(), false) });

/** With `--table`, of a table that was restored: nobody else brings to its end what was under way in that second. */
async function finish({ id: workspaceId }: One) {
  // Old events are not published again.
  delete process.env['EVENT_BUS'];
  return { finished: await finishWorkspace(workspaceId, sagaKinds) };
}

export const commands = {
  create: { input: CreateWorkspace, run: create },
  update: { input: Update, run: update },
  show: { input: One, run: show },
  reindex: { input: One, run: reindex },
  finish: { input: One, run: finish },
  export: {
    input: Archive,
    run: async ({ id, file }: Archive) => ({ counts: await exportWorkspace(id, resolve(file)) }),
  },
  import: {
    input: Import,
    run: async ({ id, file, unsigned }: v.InferOutput<typeof Import>) => ({
      counts: await importWorkspace(id, existing(file), { isUnsigned: unsigned }),
    }),
  },
};
