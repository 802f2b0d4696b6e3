import * as v from 'valibot';
import { notFound } from '#lib/problem.ts';
import { type AsideKind, discard, listSetAside, putBack } from '#lib/table/set-aside.ts';
import { deliveryAside } from '#lib/webhooks/poison.ts';

const Retry = v.object({ id: v.optional(v.string()) });
const Discard = v.object({ id: v.string() });

const kinds = [deliveryAside as AsideKind];

/** Puts one row that was set aside back into its queue, or all of them in the order in which they were committed. */
async function retry({ id }: v.InferOutput<typeof Retry>) {
  const ids = id === undefined ? (await listSetAside()).map((row) => row.id) : [id];
  const refusals: unknown[] = [];
  let retried = 0;
  for (const one of ids) {
    try {
      if (await putBack(one, kinds)) retried += 1;
    } catch (error) {
      refusals.push(error);
    }
  }
  if (refusals.length > 0) throw refusals[0];
  if (id !== undefined && retried === 0) throw notFound('row');
  return { retried };
}

/** Forgets one that nothing will come of any more. */
async function discardOne({ id }: v.InferOutput<typeof Discard>) {
  if (!(await discard(id))) throw notFound('row');
  return { discarded: 1 };
}

export const commands = {
  list: { input: v.object({}), run: listSetAside },
  retry: { input: Retry, run: retry },
  discard: { input: Discard, run: discardOne },
};
