import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { CreateInvoice } from '#lib/entities/invoice.ts';
import { cancelInvoice, createInvoice, sendInvoice } from '#lib/finance/invoice-store.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...CreateInvoice.entries });

async function create({ workspaceId, env, ...input }: v.InferOutput<typeof Create>) {
  const made = await asOperator({ workspaceId, env }, (tx) => createInvoice(tx, input));
  return { id: made.id };
}

const One = v.object({ ...tenantFields, id: id() });

const changing = (change: typeof sendInvoice) => async (input: v.InferOutput<typeof One>) => {
  const { status } = await asOperator(input, (tx) => change(tx, input.id));
  return { id: input.id, status };
};

export const commands = {
  create: { input: Create, run: create },
  send: { input: One, run: changing(sendInvoice) },
  cancel: { input: One, run: changing(cancelInvoice) },
};
