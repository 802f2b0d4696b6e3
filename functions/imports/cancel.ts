import { Nothing } from '#lib/core/schema.ts';
import { Import } from '#lib/entities/import.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { cancelImport, requireImport } from '#lib/imports/store.ts';

/** Stops an import after the rows in hand; what is done stays. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/imports/{id}/cancel',
    summary: 'Cancel an import',
    scope: 'imports:run',
    hasNoTool: true,
    body: Nothing,
    status: 200,
    response: Import,
    errors: ['bad_request', 'not_found', 'conflict'],
    exists: (tx, { id }) => requireImport(tx, id),
    needs: ['read-export-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  ({ tx, caller, params }) => cancelImport(tx, caller, params.id),
);
