import * as v from 'valibot';
import { handler as batchContacts } from '#functions/contacts/batch.ts';
import { handler as batchDeals } from '#functions/deals/batch.ts';
import { handler as batchTasks } from '#functions/tasks/batch.ts';
import type { Endpoint } from '#lib/http/endpoint.ts';
import { idempotencyKey } from '#lib/mcp/common.ts';
import { passed, pick, type Tool } from '#lib/mcp/tool.ts';

const batches: Record<string, { of: Endpoint; shows: string }> = {
  contacts: { of: batchContacts, shows: 'contact' },
  deals: { of: batchDeals, shows: 'deal' },
  tasks: { of: batchTasks, shows: 'task' },
};

type Row = Record<string, unknown>;

/** Whole resources of a hundred items would be more than a model can read. */
const brief = (shows: string) => (row: Row) => ({
  index: row['index'],
  status: row['status'],
  id: (row[shows] as Row | null)?.['id'] ?? row['id'] ?? null,
  error: row['error'],
});

export const batchTools: Tool[] = [
  {
    name: 'records_batch',
    title: 'Change many records',
    description: 'Up to 100 changes in one call.',
    effect: 'is final',
    uses: {
      by: 'resource',
      description: 'Of what',
      values: Object.fromEntries(Object.entries(batches).map(([name, { of }]) => [name, [of]])),
    },
    takes: {
      items: passed(
        v.array(v.object({ op: v.string(), id: v.optional(v.number()) })),
        'With the fields of the single calls. op: create, update; upsert, addTag, removeTag of contacts; stage of deals; status of tasks',
        true,
      ),
      ...pick(batchContacts.route.body, { atomic: 'All or nothing, of at most 10 items' }),
      idempotencyKey,
    },
    gives: {
      type: 'object',
      properties: {
        results: { type: 'array', items: { type: 'object' } },
        succeeded: { type: 'integer' },
        failed: { type: 'integer' },
      },
    },
    async run(ask, args) {
      const { of, shows } = batches[args['resource'] as string] as (typeof batches)[string];
      const { results, ...sums } = await ask(of, args);
      return { ...sums, results: (results as Row[]).map(brief(shows)) };
    },
  },
];
