import * as v from 'valibot';
import { roles } from '#lib/core/choices.ts';
import { EndpointDay, Healths } from '#lib/entities/webhook-health.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listAll } from '#lib/table/list.ts';
import { dayOf } from '#lib/webhooks/hours.ts';

/** Shows how the attempts of the last 24 hours went, by endpoint. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/panel/webhooks/days',
    summary: 'List the last day of each webhook endpoint',
    scope: 'webhooks:read',
    roles,
    isUndocumented: true,
    status: 200,
    response: v.pipe(v.object({ items: v.array(EndpointDay) }), v.title('EndpointDayList')),
    errors: [],
  },
  async ({ tx }) => ({ items: (await listAll(tx, Healths)).map(dayOf) }),
);
