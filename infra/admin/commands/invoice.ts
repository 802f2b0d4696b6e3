import * as v from 'valibot';
import { CreateInvoice } from '#lib/entities/invoice.ts';
import { createInvoice } from '#lib/finance/invoice-store.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...CreateInvoice.entries });

async function create({ workspaceId, env, ...input }: v.InferOutput<typeof Create>) {
  const { id } = await asOperator({ workspaceId, env }, (tx) => createInvoice(tx, input));
  return { id };
}

export const commands = { create: { input: Create, run: create } };
