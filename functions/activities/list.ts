import { listAllActivities } from '#lib/contacts/timeline.ts';
import { listOf } from '#lib/core/schema.ts';
import { Activity, WorkspaceActivityQuery } from '#lib/entities/activity.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The timelines of all contacts as one, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/activities',
    summary: 'List the activities of all contacts',
    scope: 'contacts:read',
    query: WorkspaceActivityQuery,
    status: 200,
    response: listOf(Activity),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listAllActivities(tx, query),
);
