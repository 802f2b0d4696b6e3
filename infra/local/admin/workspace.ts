import type * as v from 'valibot';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { CreateWorkspace } from '#lib/workspaces/workspace.ts';

async function create(input: v.InferOutput<typeof CreateWorkspace>) {
  const { id } = await createWorkspace(input);
  return { id };
}

export const commands = { create: { input: CreateWorkspace, run: create } };
