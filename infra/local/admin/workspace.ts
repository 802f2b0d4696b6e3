import { resolve } from 'node:path';
import * as v from 'valibot';
import { id, text } from '#lib/schema.ts';
import { exportWorkspace } from '#lib/workspaces/export.ts';
import { importWorkspace } from '#lib/workspaces/import.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { CreateWorkspace } from '#lib/workspaces/workspace.ts';

async function create(input: v.InferOutput<typeof CreateWorkspace>) {
  const workspace = await createWorkspace(input);
  return { id: workspace.id };
}

const Archive = v.object({ id: id(), file: text(4096) });
type Archive = v.InferOutput<typeof Archive>;

export const commands = {
  create: { input: CreateWorkspace, run: create },
  export: {
    input: Archive,
    run: async ({ id, file }: Archive) => ({ counts: await exportWorkspace(id, resolve(file)) }),
  },
  import: {
    input: Archive,
    run: async ({ id, file }: Archive) => ({ counts: await importWorkspace(id, resolve(file)) }),
  },
};
