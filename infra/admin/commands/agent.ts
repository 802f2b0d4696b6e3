import * as v from 'valibot';
import { createAgent, patchAgent } from '#lib/agents/store.ts';
import { id } from '#lib/core/schema.ts';
import { CreateAgent, PatchAgent } from '#lib/entities/agent.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...CreateAgent.entries });
const Update = v.object({ ...tenantFields, id: id(), ...PatchAgent.entries });

async function create({ workspaceId, env, ...agent }: v.InferOutput<typeof Create>) {
  const made = await asOperator({ workspaceId, env }, (tx) => createAgent(tx, agent));
  return { id: made.id };
}

async function update({ workspaceId, env, id: agentId, ...patch }: v.InferOutput<typeof Update>) {
  const changed = await asOperator({ workspaceId, env }, (tx) => patchAgent(tx, agentId, patch));
  return { id: changed.id };
}

export const commands = { create: { input: Create, run: create }, update: { input: Update, run: update } };
