import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { CreateRevenueSource, revenueCredential } from '#lib/entities/revenue-source.ts';
import { connectRevenueSource, createRevenueSource, pauseRevenueSource } from '#lib/finance/revenue-source-store.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...CreateRevenueSource.entries });

async function create({ workspaceId, env, ...input }: v.InferOutput<typeof Create>) {
  const source = await asOperator({ workspaceId, env }, (tx) => createRevenueSource(tx, input));
  return { id: source.id };
}

const Connect = v.object({ ...tenantFields, id: id(), ...revenueCredential });

async function connect({ workspaceId, env, ...input }: v.InferOutput<typeof Connect>) {
  const { id, isActive } = await asOperator({ workspaceId, env }, (tx) =>
    connectRevenueSource(tx, input.id, input.credential),
  );
  return { id, isActive };
}

const Pause = v.object({ ...tenantFields, id: id() });

async function pause(input: v.InferOutput<typeof Pause>) {
  const { id, isActive } = await asOperator(input, (tx) => pauseRevenueSource(tx, input.id));
  return { id, isActive };
}

export const commands = {
  create: { input: Create, run: create },
  connect: { input: Connect, run: connect },
  pause: { input: Pause, run: pause },
};
