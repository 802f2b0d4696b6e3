import { listActivities } from '#lib/contacts/timeline.ts';
import { listOf } from '#lib/core/schema.ts';
import { Activity, ActivityQuery } from '#lib/entities/activity.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The timeline of a contact, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/activities',
    summary: 'List the activities of a contact',
    scope: 'contacts:read',
    query: ActivityQuery,
    status: 200,
    response: listOf(Activity),
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params, query }) => listActivities(tx, params.id, query),
);
