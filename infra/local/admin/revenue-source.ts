import * as v from 'valibot';
import { CreateRevenueSource } from '#lib/finance/revenue-source.ts';
import { createRevenueSource } from '#lib/finance/revenue-source-store.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...CreateRevenueSource.entries });

async function create({ workspaceId, env, ...input }: v.InferOutput<typeof Create>) {
  const { id } = await asOperator({ workspaceId, env }, (tx) => createRevenueSource(tx, input));
  return { id };
}

export const commands = { create: { input: Create, run: create } };
