import * as v from 'valibot';
import { unroutedEndpoint } from '#lib/http/endpoint.ts';
import { methodsOf } from '#lib/http/paths.ts';

/** Answers whatever no route matches: 401 under /v1 without a key, then 405 for a known path, else 404. */
export const handler = unroutedEndpoint(
  {
    method: 'ANY',
    path: '$default',
    summary: 'Unknown paths and methods',
    scope: 'public',
    status: 200,
    response: v.never(),
    errors: ['not_found', 'bad_request'],
  },
  methodsOf,
);
