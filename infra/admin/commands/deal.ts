import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { winDeal } from '#lib/deals/store.ts';
import { DealWithTasks } from '#lib/entities/deal.ts';
import { asOperator, tenantFields } from './operator.ts';

const Win = v.object({ ...tenantFields, id: id() });

/** Prints the deal; one that is Won already stays as it is. */
const win = async (input: v.InferOutput<typeof Win>) =>
  v.parse(DealWithTasks, await asOperator(input, (tx) => winDeal(tx, input.id)));

export const commands = { win: { input: Win, run: win } };
