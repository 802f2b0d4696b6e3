import * as v from 'valibot';
import { notFound } from '#lib/core/problem.ts';
import { discard, listDead, putBack } from '#lib/table/dead-letter.ts';

const Retry = v.object({ id: v.optional(v.string()) });
const Discard = v.object({ id: v.string() });

/** Puts one dead letter back to work, or all of them. */
async function retry({ id }: v.InferOutput<typeof Retry>) {
  const ids = id === undefined ? (await listDead()).map((row) => row.id) : [id];
  let retried = 0;
  for (const one of ids) if (await putBack(one)) retried += 1;
  if (id !== undefined && retried === 0) throw notFound('row');
  return { retried };
}

/** Removes one that nothing will come of any more. */
async function discardOne({ id }: v.InferOutput<typeof Discard>) {
  if (!(await discard(id))) throw notFound('row');
  return { discarded: 1 };
}

export const commands = {
  list: { input: v.object({}), run: listDead },
  retry: { input: Retry, run: retry },
  discard: { input: Discard, run: discardOne },
};
