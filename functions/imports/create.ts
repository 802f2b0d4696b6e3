import { CreateImport, Import } from '#lib/entities/import.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { permitImport } from '#lib/imports/permit.ts';
import { createImport } from '#lib/imports/store.ts';

/** Has the rows of a file taken in, one by one. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/imports',
    summary: 'Import a file',
    scope: 'imports:run',
    hasNoTool: true,
    permit: ({ caller, body }) => permitImport(caller, body),
    body: CreateImport,
    status: 202,
    response: Import,
    errors: ['bad_request', 'conflict'],
    needs: ['read-uploads'],
    heavyDependency: 'the client of S3 and a reader of CSV',
  },
  ({ tx, caller, body }) => createImport(tx, caller, body),
);
