import { listOf } from '#lib/core/schema.ts';
import { listThreads } from '#lib/email/store.ts';
import { Thread, ThreadQuery } from '#lib/entities/email-thread.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** E-mail threads, newest first; `q` searches subject, preview and participants. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/email/threads',
    summary: 'List and search e-mail threads',
    scope: 'email:read',
    query: ThreadQuery,
    status: 200,
    response: listOf(Thread),
    heavyDependency: 'the client of S3 and the reader of Parquet',
    needs: ['ask-copies', 'read-copies'],
    errors: ['bad_request'],
  },
  ({ tx, query }) => listThreads(tx, query),
);
