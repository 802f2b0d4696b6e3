import { roles } from '#lib/core/choices.ts';
import { Nothing } from '#lib/core/schema.ts';
import { getDeal } from '#lib/deals/read.ts';
import { winDeal } from '#lib/deals/store.ts';
import { DealWithTasks } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Wins a deal, which books its value as income, once in its life. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/deals/{id}/win',
    summary: 'Win a deal',
    scope: 'deals:write',
    roles,
    isUndocumented: true,
    body: Nothing,
    status: 200,
    response: DealWithTasks,
    errors: ['not_found'],
    current: (tx, { id }) => getDeal(tx, id),
  },
  ({ tx, params }) => winDeal(tx, params.id),
);
