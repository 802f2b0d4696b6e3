import { Import } from '#lib/entities/import.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getImport } from '#lib/imports/store.ts';

/** How far an import is. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/imports/{id}',
    summary: 'Get an import',
    scope: 'imports:run',
    hasNoTool: true,
    status: 200,
    response: Import,
    volatile: ['errorsUrl'],
    errors: ['not_found'],
    needs: ['read-export-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  ({ tx, caller, params }) => getImport(tx, caller, params.id),
);
