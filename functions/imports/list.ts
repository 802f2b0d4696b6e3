import { listOf } from '#lib/core/schema.ts';
import { Import, ImportQuery } from '#lib/entities/import.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listImports } from '#lib/imports/store.ts';

/** The imports of the environment, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/imports',
    summary: 'List imports',
    scope: 'imports:run',
    hasNoTool: true,
    query: ImportQuery,
    status: 200,
    response: listOf(Import),
    errors: ['bad_request'],
    needs: ['read-export-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  ({ tx, caller, query }) => listImports(tx, caller, query),
);
